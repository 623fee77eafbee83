"""How kernels are declared, and the constants that they share with compiled loops."""
