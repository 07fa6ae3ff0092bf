"""What is here, and is it fit to measure on: the doctor, the dtypes that a device computes in, the environment."""
