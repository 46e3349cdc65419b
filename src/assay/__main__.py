"""`python -m assay` is the command `assay`."""

from assay.surfaces.cli import main

if __name__ == "__main__":
    main()
