"""`python -m akgen` is `akgen`."""

from akgen.cli import main

if __name__ == "__main__":
    main()
