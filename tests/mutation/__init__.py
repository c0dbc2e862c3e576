"""Do the tests notice mistakes? ``python -m tests.mutation`` makes small ones and runs the tests on each of them."""
