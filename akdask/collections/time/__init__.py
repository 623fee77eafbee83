"""`Datetime`, `Timedelta` and `IPv4`: numbers that stand for something else."""
