"""What an exception of anybody's says."""

from torchstone.errors import message_of, one_line_of


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def test_an_exception_without_words() -> None:
    assert message_of(MuteError()) == "(its message cannot be shown)"


def test_what_steers_a_terminal_is_left_out() -> None:
    assert one_line_of(ValueError("\x1b]0;title\x07 red\n\tline")) == "]0;title red line"
