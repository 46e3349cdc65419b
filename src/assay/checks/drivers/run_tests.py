"""Inside the sandbox: runs a test file; see `assay_tests.main`."""

from assay_tests.main import main

main()
