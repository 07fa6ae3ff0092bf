"""Where a child that was started anew begins: its connection and its server are named on its command line."""

import socket
import sys

from torchstone.processes.performing import be_the_child

if __name__ == "__main__":
    connection = socket.socket(fileno=int(sys.argv[1]))
    connection.set_inheritable(False)
    be_the_child(connection, int(sys.argv[2]))
