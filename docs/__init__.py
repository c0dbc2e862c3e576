"""The pages of the site, and the programs that make some of them."""
