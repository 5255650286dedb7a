"""`python -m odonata` is `odonata`."""

from .cli import main

if __name__ == "__main__":
    main()
