// Rows at positions of a table that is larger than the caches, and rows that are marked: they are taken, and put.

#include "text.hpp"
#include "words.hpp"

namespace {

using namespace akdask;

// Writes the words at some positions, `missing` for positions outside the table; returns whether none is outside.
bool gather_words(Words table, Words positions, uint64_t missing, Span<uint64_t> out) {
    require(out.size >= positions.size, "no room for as many words");
    bool all_there = true;
    auto gather = [&](uint64_t row) {
        uint64_t position = positions[row];
        bool is_there = position < table.size;
        all_there &= is_there;
        out[row] = is_there ? table[position] : missing;
    };
    uint64_t row = 0;
    for (; row + AHEAD < positions.size; ++row) {
        prefetch(table.data, positions[row + AHEAD]);
        gather(row);
    }
    for (; row < positions.size; ++row) gather(row);
    return all_there;
}

// Notes where the strings at some positions begin, and where they will end; tells whether all were found.
bool find_strings(Words offsets, Words positions, Span<uint64_t> starts, Span<uint64_t> ends) {
    require(offsets.size && starts.size >= positions.size && ends.size > positions.size, "no room for as many strings");
    uint64_t base = offsets[0], size = offsets.size - 1, end = 0;
    bool all_there = true;
    ends[0] = 0;
    for (uint64_t row = 0; row < positions.size; ++row) {
        if (row + AHEAD < positions.size) prefetch(offsets.data, positions[row + AHEAD]);
        uint64_t position = positions[row];
        bool is_there = position < size;
        all_there &= is_there;
        uint64_t start = is_there ? offsets[position] : base, stop = is_there ? offsets[position + 1] : base;
        end += stop - start;
        starts[row] = start - base;
        ends[row + 1] = end;
    }
    return all_there;
}

// Copies strings by chunks, behind the last of which there is room for one: what is copied behind the end of a string is
// written over by the next.
void copy_strings(Text text, Words starts, Words ends, Span<uint8_t> into) {
    require(ends.size == starts.size + 1 && into.size >= CHUNK, "no room for as many strings");
    uint64_t room = into.size - CHUNK;
    require(ends[starts.size] <= room, "no room for as many strings");
    for (uint64_t row = 0; row < starts.size; ++row) {
        if (row + AHEAD < starts.size) {
            uint64_t ahead = row + AHEAD, start = starts[ahead];
            prefetch(text.data, start);
            // Where a string ends is often in another line of the cache.
            prefetch(text.data, start + (ends[ahead + 1] - ends[ahead]));
        }
        uint64_t start = starts[row], target = ends[row], stop = ends[row + 1], length = stop - target;
        require(target <= stop && stop <= room && start <= text.size && length <= text.size - start,
                "strings beyond their text");
        if (start + length + CHUNK <= text.size) {
            copy_chunk(text.data + start, &into[target]);
            for (uint64_t ahead = CHUNK; ahead < length; ahead += CHUNK) {
                copy_chunk(text.data + start + ahead, &into[target + ahead]);
            }
        } else {
            std::memcpy(&into[target], text.data + start, length);
        }
    }
}

constexpr uint64_t EIGHT = sizeof(uint64_t);

// Writes the values whose mark is not 0 one after the other, and returns how many there are.  There is room for one more:
// each value is written, and only counted where it has a mark.
template <class Value>
uint64_t copy_masked(Span<const uint8_t> mask, Span<const Value> column, Span<Value> out) {
    require(mask.size == column.size, "as many marks as values");
    uint64_t wanted = 0, count = 0;
    for (uint8_t mark : mask) wanted += mark != 0;
    require(wanted < out.size, "no room for as many values");
    uint64_t row = 0;
    auto copy = [&] {
        out[count] = column[row];
        count += mask[row] != 0;
    };
    while (row + EIGHT <= column.size) {
        uint64_t stop = row + EIGHT;
        // Where few values are wanted, eight at a time are passed over.
        if (!word_at(mask.data, row)) row = stop;
        for (; row < stop; ++row) copy();
    }
    for (; row < column.size; ++row) copy();
    return count;
}

// Writes items to those of some positions that are among the rows from `first` on, of `total` in all; negative positions
// count from the end, and one item is for every position.  Of several items for one position the last is left.  Returns
// the number of the first position that is not there, -1 if all are.
template <class Value>
int64_t put_at(Span<const int64_t> positions, Span<const Value> items, int64_t first, int64_t total, Span<Value> out) {
    require(items.size == positions.size || items.size == 1, "as many items as positions");
    require(first >= 0 && total >= first, "rows that are not there");
    uint64_t step = items.size == 1 ? 0 : 1, all = static_cast<uint64_t>(total), start = static_cast<uint64_t>(first);
    Value elsewhere{};
    auto from_start = [&](uint64_t place) {
        int64_t position = positions[place];
        return static_cast<uint64_t>(position + (position < 0 ? total : 0));
    };
    // Nothing is guessed: what belongs elsewhere is written, too, but not to the rows.
    uintptr_t rows = reinterpret_cast<uintptr_t>(out.data), other = reinterpret_cast<uintptr_t>(&elsewhere);
    auto target = [&](uint64_t row) {
        uintptr_t outside = uintptr_t{0} - (row - start >= out.size);
        return reinterpret_cast<Value*>(((rows + (row - start) * sizeof(Value)) & ~outside) | (other & outside));
    };
    for (uint64_t place = 0; place < positions.size; ++place) {
        if (place + AHEAD < positions.size) prefetch(target(from_start(place + AHEAD)));
        uint64_t row = from_start(place);
        if (row >= all) return static_cast<int64_t>(place);
        *target(row) = items[place * step];
    }
    return -1;
}

// Writes items, in order, to the rows that are marked, of which there are as many.
template <class Value>
void put_masked(Span<const uint8_t> mask, Span<const Value> items, Span<Value> out) {
    require(mask.size == out.size, "as many marks as values");
    uint64_t wanted = 0, next = 0;
    for (uint8_t mark : mask) wanted += mark != 0;
    require(wanted == items.size, "as many items as marks");
    if (!wanted) return;
    for (uint64_t row = 0; row < out.size; ++row) {
        Value item = items[next < wanted ? next : 0];
        out[row] = mask[row] ? item : out[row];
        next += mask[row] != 0;
    }
}

// Whether each number is one more than that before it.
bool are_successive(Span<const int64_t> numbers) {
    uint64_t first = numbers.size ? static_cast<uint64_t>(numbers[0]) : 0, differ = 0;
    for (uint64_t row = 0; row < numbers.size; ++row) differ |= (static_cast<uint64_t>(numbers[row]) - row) ^ first;
    return !differ;
}

}  // namespace

MODULE("Rows at positions of a table that is larger than the caches, and rows that are marked.",
       {"gather_words", overloads<gather_words>},
       {"find_strings", overloads<find_strings>},
       {"copy_strings", overloads<copy_strings>},
       {"put_at", overloads<put_at<uint64_t>, put_at<uint32_t>, put_at<uint16_t>, put_at<uint8_t>>},
       {"are_successive", overloads<are_successive>},
       {"put_masked", overloads<put_masked<uint64_t>, put_masked<uint32_t>, put_masked<uint16_t>, put_masked<uint8_t>>},
       {"copy_masked",
        overloads<copy_masked<uint64_t>, copy_masked<uint32_t>, copy_masked<uint16_t>, copy_masked<uint8_t>>})
