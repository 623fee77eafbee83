"""What files hold, found without reading data: footers, columns, row groups, manifests of all that."""
