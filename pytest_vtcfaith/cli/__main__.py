"""`python -m pytest_vtcfaith.cli`."""

from pytest_vtcfaith.cli import main

if __name__ == "__main__":
    main()
