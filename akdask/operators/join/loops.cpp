// Hash tables with gaps, in the order of their words; searches in tables in order; tables of cells for close keys.

#include "words.hpp"

namespace {

using namespace akdask;

// Loops over tables of packed words, and searches for hashes, handle a row in two steps, so that memory answers in
// between: first its slot is fetched, and `AHEAD` rows later it is inserted or found.  What the first step computes waits
// in a ring of as many places.

// How words are packed with the numbers of their rows: the tag of a word is a mixed one, of which leading bits are
// dropped, as the slot tells them.
struct Packing {
    uint64_t low, spare, dropped_bits, shift;

    uint64_t tag(uint64_t word) const {
        uint64_t tag = ((word - low) << spare) * FIRST;
        tag ^= (tag >> 32) & ~((uint64_t{1} << spare) - 1);
        return tag * SECOND;
    }
};

void require_packing(const Packing& packing, uint64_t nwords, uint64_t table_size) {
    require(packing.spare + packing.dropped_bits < 64 && packing.shift + packing.dropped_bits < 64 && packing.shift < 64,
            "bits beyond a word");
    require((LAST >> packing.shift) < table_size && nwords < table_size, "places beyond the table");
}

// Puts the rows of words, packed with their tags, where sorting them first would have put them: a word takes the place of
// the first one that is larger, which moves on to the next place, and so on.  Of several equal parts of the places, only
// words of one part are put there, which threads do for all parts at a time; rows of words that would move on to the next
// part go to `beyond`.  `rows` are the rows of the words, none where these are all.  `table` has vacant slots, as many as
// there are places, and one for each row and one more; `later` has room for the rows whose key has come before.  Returns
// the slot after all that are needed; how far a word is from the slot that its leading bits name, at most; the rows in
// `later`, and those in `beyond`.
std::tuple<uint64_t, uint64_t, uint64_t, uint64_t> insert_packed(Words words, Span<const int64_t> rows, uint64_t low,
                                                                 uint64_t spare, uint64_t dropped_bits, uint64_t shift,
                                                                 uint64_t part, uint64_t parts, Span<uint64_t> table,
                                                                 Span<int64_t> later, Span<int64_t> beyond) {
    constexpr uint64_t AT_A_TIME = 1024;
    Packing packing{low, spare, dropped_bits, shift};
    require_packing(packing, words.size, table.size);
    uint64_t places = (LAST >> shift) + 1, size = places / (parts ? parts : 1);
    require(part < parts && size * parts == places, "no part of the places");
    bool is_last = part + 1 == parts;
    require(places < table.size && later.size >= words.size && (is_last || beyond.size >= words.size) &&
                (!rows.size || rows.size >= words.size),
            "no room for as many words");
    require(!is_last || table[table.size - 1] == VACANT, "a table without a vacant slot");
    uint64_t row_mask = (uint64_t{1} << (spare + dropped_bits)) - 1, home = shift + dropped_bits, near = LAST >> home;
    uint64_t begin = part * size, end = is_last ? table.size - 1 : begin + size;
    uint64_t count = 0, left = 0, filled = 0, furthest = 0;
    // Puts a word in a slot, notes how far that is from the slot of its own, and returns what was there.
    auto place = [&](uint64_t slot, uint64_t word) {
        uint64_t distance = (slot - (word >> home)) & near;
        furthest = distance > furthest ? distance : furthest;
        return std::exchange(table[slot], word);
    };
    uint64_t tags[AT_A_TIME + 1], numbers[AT_A_TIME + 1];
    for (uint64_t start = 0; start < words.size; start += AT_A_TIME) {
        // Rows of this part first: a branch on whose they are would be guessed wrong too often.
        uint64_t stop = words.size - start < AT_A_TIME ? words.size : start + AT_A_TIME, some = 0;
        for (uint64_t row = start; row < stop; ++row) {
            tags[some] = packing.tag(words[row]);
            numbers[some] = rows.size ? static_cast<uint64_t>(rows[row]) & row_mask : row;
            some += (tags[some] >> shift) - begin < size;
        }
        for (uint64_t at = 0; at < some; ++at) {
            if (at + AHEAD < some) prefetch(&table[tags[at + AHEAD] >> shift]);
            uint64_t slot = tags[at] >> shift, word = (tags[at] << dropped_bits) | numbers[at];
            for (; slot < end && table[slot] != VACANT; ++slot) {
                // The table has the key already, with an earlier row.
                if ((word ^ table[slot]) <= row_mask) break;
                // Words of one slot ascend by the bits that are left, whose order does not change where they wrap around.
                if (static_cast<int64_t>(word - table[slot]) < 0) word = place(slot, word);
            }
            if (slot == end) {
                require(!is_last, "a table with too few slots");
                beyond[left++] = static_cast<int64_t>(word & row_mask);
            } else if (table[slot] == VACANT) {
                place(slot, word);
                filled = slot + 1 > filled ? slot + 1 : filled;
            } else {
                later[count++] = static_cast<int64_t>(numbers[at]);
            }
        }
    }
    return {filled, furthest, count, left};
}

// Inserts hashes in a table that has vacant slots, each once; returns the slot after the last that has changed.  They
// ascend: from the first larger hash on, each slot takes what was in the one before.
uint64_t insert_hashes(Words hashes, uint64_t shift, Span<uint64_t> table) {
    require(shift < 64 && (LAST >> shift) < table.size, "places beyond the table");
    uint64_t end = 0;
    for (uint64_t row = 0; row < hashes.size; ++row) {
        if (row + AHEAD < hashes.size) prefetch(&table[hashes[row + AHEAD] >> shift]);
        uint64_t inserted = hashes[row], slot = inserted >> shift;
        while (table[slot] < inserted) {
            require(slot + 1 < table.size, "a table with too few slots");
            ++slot;
        }
        // The table has it already, or it looks like a vacant slot, from which it could not be told.
        if (table[slot] == inserted) continue;
        for (; table[slot] != VACANT; ++slot) {
            require(slot + 1 < table.size, "a table with too few slots");
            std::swap(inserted, table[slot]);
        }
        table[slot] = inserted;
        end = slot + 1 > end ? slot + 1 : end;
    }
    return end;
}

// Tells which words of numbers have hashes that are in a table, which ends with a vacant slot; `has_vacant` tells it of
// the hash that gaps have.
void find_hashed(Words words, uint64_t shift, Words table, bool has_vacant, Span<bool> found) {
    require(found.size >= words.size && shift < 64 && table.size && (LAST >> shift) < table.size - 1 &&
                table[table.size - 1] == VACANT,
            "places beyond the table");
    uint64_t hashes[AHEAD];
    for (uint64_t row = 0; row < words.size + AHEAD; ++row) {
        uint64_t waiting = row % AHEAD;
        if (row >= AHEAD) {
            uint64_t hashed = hashes[waiting], slot = hashed >> shift;
            // Mostly it is one of two slots; a branch on which of them would be guessed wrong too often.
            slot += table[slot] < hashed;
            while (table[slot] < hashed) ++slot;
            found[row - AHEAD] = (table[slot] == hashed) & (has_vacant | (hashed != VACANT));
        }
        if (row < words.size) {
            hashes[waiting] = mixed(words[row]);
            prefetch(&table[hashes[waiting] >> shift]);
        }
    }
}

// Finds the rows that are packed with tags in a table, those of words from `low` on and no further than `width`.
void find_packed(Words words, uint64_t low, uint64_t width, uint64_t spare, uint64_t dropped_bits, uint64_t shift,
                 uint64_t nrows, Words table, Span<uint64_t> found) {
    Packing packing{low, spare, dropped_bits, shift};
    require_packing(packing, 0, table.size);
    require(found.size >= words.size && (LAST >> shift) + 1 < table.size && table[table.size - 1] == VACANT,
            "places beyond the table");
    uint64_t tags[AHEAD];
    for (uint64_t row = 0; row < words.size + AHEAD; ++row) {
        uint64_t waiting = row % AHEAD;
        if (row >= AHEAD) {
            uint64_t slot = tags[waiting] >> shift, wanted = tags[waiting] << dropped_bits;
            // A word with the same tag is larger by its row, a vacant one by no row that there is.  Conditions are looked
            // at together, since nobody can guess which gaps look smaller than a tag, nor which rows match.
            uint64_t beyond = table[slot] - wanted;
            slot += (static_cast<int64_t>(beyond) < 0) & (table[slot] != VACANT);
            for (beyond = table[slot] - wanted; (static_cast<int64_t>(beyond) < 0) & (table[slot] != VACANT);) {
                beyond = table[++slot] - wanted;
            }
            bool matches = (beyond < nrows) & (words[row - AHEAD] - low <= width);
            found[row - AHEAD] = matches ? beyond : NO_ROW;
        }
        if (row < words.size) {
            tags[waiting] = packing.tag(words[row]);
            prefetch(&table[tags[waiting] >> shift]);
        }
    }
}

// Keeps what was found of those rows that have a match, and where these are; returns how many there are.  Both have room
// for one more: each row is written, and only counted where it has a match.
int64_t matched(Span<const int64_t> found, Span<int64_t> positions, Span<int64_t> rows) {
    require(positions.size > found.size && rows.size > found.size, "no room for as many rows");
    uint64_t count = 0;
    for (uint64_t row = 0; row < found.size; ++row) {
        positions[count] = static_cast<int64_t>(row);
        rows[count] = found[row];
        count += found[row] >= 0;
    }
    return static_cast<int64_t>(count);
}

// Puts the rows of a table with equal keys together, given the first row with the keys of each: the rows that are equal to
// a first row stand in `order`, ascending, from its place in `starts` to before the next place.  `starts` has room for two
// more than there are rows.
void put_together(Span<const int64_t> firsts, Span<int64_t> starts, Span<int64_t> order) {
    uint64_t count = firsts.size;
    require(starts.size >= count + 2 && order.size >= count, "no room for as many rows");
    for (uint64_t row = 0; row < count + 2; ++row) starts[row] = 0;
    for (uint64_t row = 0; row < count; ++row) {
        require(static_cast<uint64_t>(firsts[row]) < count, "a row beyond the table");
        if (row + AHEAD < count) prefetch(starts.data, static_cast<uint64_t>(firsts[row + AHEAD]) + 2);
        ++starts[firsts[row] + 2];
    }
    for (uint64_t row = 2; row < count + 2; ++row) starts[row] += starts[row - 1];
    // Each place moves on with the rows, until it is the next one's.
    for (uint64_t row = 0; row < count; ++row) {
        if (row + AHEAD < count) prefetch(&starts[firsts[row + AHEAD] + 1]);
        if (row + AHEAD / 2 < count) prefetch(&order[starts[firsts[row + AHEAD / 2] + 1]]);
        order[starts[firsts[row] + 1]++] = static_cast<int64_t>(row);
    }
}

// Counts the pairs of rows with those that are put together with what was found of each; one where nothing was found, if
// all are kept.
uint64_t count_pairs(Span<const int64_t> found, Span<const int64_t> starts, bool keep_all) {
    uint64_t count = 0;
    for (int64_t first : found) {
        require(first < static_cast<int64_t>(starts.size) - 1, "a row beyond the table");
        count += first < 0 ? keep_all : static_cast<uint64_t>(starts[first + 1] - starts[first]);
    }
    return count;
}

// Pairs rows, from a given one on, of whose pairs some were made before, until there is no room for more.  Returns the row
// to go on with, how many of its pairs are made, and how many pairs these are.
std::tuple<uint64_t, uint64_t, uint64_t> pair_up(Span<const int64_t> found, Span<const int64_t> starts,
                                                 Span<const int64_t> order, bool keep_all, uint64_t row, uint64_t before,
                                                 Span<int64_t> positions, Span<int64_t> rows) {
    require(positions.size == rows.size, "as many positions as rows");
    uint64_t count = 0;
    for (; row < found.size; ++row, before = 0) {
        int64_t first = found[row];
        require(first < static_cast<int64_t>(starts.size) - 1, "a row beyond the table");
        if (row + AHEAD < found.size) {
            int64_t next = found[row + AHEAD / 2];
            if (next >= 0 && next < static_cast<int64_t>(starts.size)) {
                prefetch(order.data, static_cast<uint64_t>(starts[next]));
            }
            prefetch(starts.data, static_cast<uint64_t>(found[row + AHEAD]));
        }
        if (first < 0 && !keep_all) continue;
        uint64_t stop = first < 0 ? 1 : static_cast<uint64_t>(starts[first + 1] - starts[first]);
        uint64_t start = first < 0 ? 0 : static_cast<uint64_t>(starts[first]);
        require(first < 0 || (start <= order.size && stop <= order.size - start), "a place beyond the rows");
        for (uint64_t match = before; match < stop; ++match) {
            if (count == rows.size) return {row, match, count};
            positions[count] = static_cast<int64_t>(row);
            rows[count++] = first < 0 ? -1 : order[start + match];
        }
    }
    return {row, 0, count};
}

// Finds how many words of a table in order are less than each word, or not greater.
void search_sorted(Words table, Words words, bool after_equals, Span<int64_t> found) {
    require(found.size >= words.size, "no room for what is found");
    if (!table.size) {
        for (uint64_t row = 0; row < words.size; ++row) found[row] = 0;
        return;
    }
    // Several searches take each step together, so that none waits for memory alone.
    uint64_t lows[AHEAD];
    for (uint64_t first = 0; first < words.size; first += AHEAD) {
        uint64_t count = words.size - first < AHEAD ? words.size - first : AHEAD;
        auto is_before = [&](uint64_t word, uint64_t wanted) { return (word < wanted) | (after_equals & (word == wanted)); };
        for (uint64_t row = 0; row < count; ++row) lows[row] = 0;
        for (uint64_t size = table.size; size > 1;) {
            uint64_t half = size >> 1;
            for (uint64_t row = 0; row < count; ++row) {
                lows[row] += is_before(table[lows[row] + half - 1], words[first + row]) ? half : 0;
            }
            size -= half;
        }
        for (uint64_t row = 0; row < count; ++row) {
            found[first + row] = static_cast<int64_t>(lows[row] + is_before(table[lows[row]], words[first + row]));
        }
    }
}

// ----------------------------------------------------------------------------------------------- cells of close keys

// Sets the bit of the cell of each word, all of which have one.
void mark(Words words, uint64_t low, Span<uint8_t> bits) {
    for (uint64_t word : words) {
        uint64_t slot = word - low;
        require(slot >> 3 < bits.size, "a word without a cell");
        bits[slot >> 3] = static_cast<uint8_t>(bits[slot >> 3] | 1u << (slot & 7));
    }
}

// Tells whether the bit of the cell of each word is set.
void look_up_bits(Words words, uint64_t low, uint64_t nslots, Span<const uint8_t> bits, Span<bool> found) {
    require(nslots >> 3 < bits.size && found.size >= words.size, "a word without a cell");
    for (uint64_t row = 0; row < words.size; ++row) {
        uint64_t slot = words[row] - low;
        slot = slot < nslots ? slot : nslots;
        found[row] = (bits[slot >> 3] >> (slot & 7)) & 1;
    }
}

// Puts the first row of each cell there.
template <class Row>
void put_rows(Words words, uint64_t low, Span<Row> rows) {
    for (uint64_t row = words.size; row-- > 0;) {
        uint64_t slot = words[row] - low;
        require(slot < rows.size, "a word without a cell");
        rows[slot] = static_cast<Row>(row);
    }
}

constexpr uint64_t NEAR_BYTES = 1 << 18;  // of cells that stay in the core's cache

// Finds the row in the cell of each word.
template <class Row>
void look_up_rows(Words words, uint64_t low, uint64_t nslots, Span<const Row> rows, Span<int64_t> found) {
    require(nslots < rows.size && found.size >= words.size, "a word without a cell");
    auto cell = [&](uint64_t word) { return word - low < nslots ? word - low : nslots; };
    uint64_t row = 0, ahead = nslots * sizeof(Row) > NEAR_BYTES ? AHEAD : words.size;
    for (; row + ahead < words.size; ++row) {
        prefetch(&rows[cell(words[row + ahead])]);
        found[row] = rows[cell(words[row])];
    }
    for (; row < words.size; ++row) found[row] = rows[cell(words[row])];
}

// Cells of 32 slots: below is the bit of each slot that has a word, above is how many bits are set in the cells before.
constexpr uint64_t CELL_BITS = 5, CELL_SLOTS = 1 << CELL_BITS;

INLINE uint64_t rank_in(uint64_t cell, uint64_t bit) {
    return (cell >> CELL_SLOTS) + static_cast<uint64_t>(__builtin_popcountll(cell & ((uint64_t{1} << bit) - 1)));
}

// Fills cells, which are 0, with the slots of words.  Numbers of words that ascend are those of their rows, or else `order`
// gets the first row of each number.  Returns how many slots have a word, and whether the words ascend.
template <class Row>
std::tuple<uint64_t, bool> fill_cells(Words words, uint64_t low, Span<uint64_t> cells, Span<Row> order) {
    require(words.size < LAST >> CELL_SLOTS && order.size >= words.size, "no room for as many rows");
    bool ascends = true;
    for (uint64_t row = 0; row < words.size; ++row) {
        uint64_t slot = words[row] - low;
        require(slot >> CELL_BITS < cells.size, "a word without a cell");
        cells[slot >> CELL_BITS] |= uint64_t{1} << slot % CELL_SLOTS;
        ascends &= !row || words[row - 1] - low < slot;
    }
    uint64_t count = 0;
    for (uint64_t& cell : cells) {
        cell |= count << CELL_SLOTS;
        count = rank_in(cell, CELL_SLOTS);
    }
    for (uint64_t row = ascends ? 0 : words.size; row-- > 0;) {
        uint64_t slot = words[row] - low, rank = rank_in(cells[slot >> CELL_BITS], slot % CELL_SLOTS);
        require(rank < order.size, "more words than rows");
        order[rank] = static_cast<Row>(row);
    }
    return {count, ascends};
}

// Finds the first row with each word, by the number of its slot; `order` is empty where these numbers are the rows.
template <class Row>
void look_up_cells(Words words, uint64_t low, uint64_t nslots, Words cells, Span<const Row> order, Span<int64_t> found) {
    require(nslots >> CELL_BITS < cells.size && found.size >= words.size, "a word without a cell");
    auto place = [&](uint64_t word) { return word - low < nslots ? word - low : nslots; };
    uint64_t ahead = cells.size * sizeof(uint64_t) > NEAR_BYTES ? AHEAD : words.size;
    auto look_up = [&](auto row_of) {
        for (uint64_t row = 0; row < words.size; ++row) {
            if (row + ahead < words.size) prefetch(&cells[place(words[row + ahead]) >> CELL_BITS]);
            uint64_t slot = place(words[row]), cell = cells[slot >> CELL_BITS], bit = slot % CELL_SLOTS;
            bool is_there = (cell >> bit) & (slot < nslots);
            found[row] = is_there ? row_of(rank_in(cell, bit)) : -1;
        }
    };
    if (order.size) {
        look_up([&](uint64_t rank) {
            require(rank < order.size, "a number beyond the rows");
            return static_cast<int64_t>(order[rank]);
        });
    } else {
        look_up([](uint64_t rank) { return static_cast<int64_t>(rank); });
    }
}

}  // namespace

MODULE("Hash tables with gaps, searches in tables in order, and cells of close keys.",
       {"insert_packed", overloads<insert_packed>},
       {"insert_hashes", overloads<insert_hashes>},
       {"find_hashed", overloads<find_hashed>},
       {"find_packed", overloads<find_packed>},
       {"matched", overloads<matched>},
       {"put_together", overloads<put_together>},
       {"count_pairs", overloads<count_pairs>},
       {"pair_up", overloads<pair_up>},
       {"search_sorted", overloads<search_sorted>},
       {"mark", overloads<mark>},
       {"look_up_bits", overloads<look_up_bits>},
       {"put_rows", overloads<put_rows<int32_t>, put_rows<int64_t>>},
       {"look_up_rows", overloads<look_up_rows<int32_t>, look_up_rows<int64_t>>},
       {"fill_cells", overloads<fill_cells<int32_t>, fill_cells<int64_t>>},
       {"look_up_cells", overloads<look_up_cells<int32_t>, look_up_cells<int64_t>>})
