"""Operations that give one row for each row, by the names under which plans know them."""
