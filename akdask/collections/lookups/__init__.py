"""Looking things up: where elements are, which interval holds them, which number stands for them."""
