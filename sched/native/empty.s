// Functions without a body, as linkname wants them, need a file of assembly in the package.
