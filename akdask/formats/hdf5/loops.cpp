// Strings with a NUL behind each, as Arkouda stores them, data packed by HDF5's LZF filter, and global heaps.

#include "text.hpp"

#include <vector>

namespace {

using namespace akdask;

// Copies strings without their last bytes, given bounds that nobody has checked; returns -1 if the last byte of one is
// not NUL or missing, 1 if other bytes are NUL or not ASCII, 0 otherwise.
int64_t take_nuls_off(Text values, Span<const int64_t> bounds, Span<int64_t> offsets, Span<uint8_t> text) {
    require(bounds.size && offsets.size >= bounds.size && text.size >= values.size + CHUNK, "no room for the strings");
    int64_t base = bounds[0], size = static_cast<int64_t>(values.size), behind = 0;
    uint64_t seen = 0;
    offsets[0] = 0;
    for (uint64_t row = 0; row + 1 < bounds.size; ++row) {
        int64_t start = bounds[row] - base, stop = bounds[row + 1] - base;
        if (!(behind <= start && start < stop && stop <= size) || values[static_cast<uint64_t>(stop - 1)]) return -1;
        behind = stop;
        const uint8_t* from = values.data + start;
        uint8_t* into = text.data + start - static_cast<int64_t>(row);
        int64_t length = stop - start - 1;
        offsets[row + 1] = stop - static_cast<int64_t>(row) - 1;
        if (stop + static_cast<int64_t>(CHUNK) <= size) {
            // Bytes copied beyond the end are overwritten.
            for (int64_t ahead = 0; ahead < length; ahead += CHUNK) {
                uint64_t used = length - ahead < 32 ? (uint64_t{1} << (length - ahead)) - 1 : ~uint64_t{0};
                seen |= copy_and_find<true>(from + ahead, into + ahead) & used;
            }
        } else {
            for (int64_t ahead = 0; ahead < length; ++ahead) {
                uint8_t byte = from[ahead];
                seen |= (byte > 127) | !byte;
                into[ahead] = byte;
            }
        }
    }
    return seen ? 1 : 0;
}

// Numbers strings of one ASCII character with a NUL behind each, given the numbers of known characters, which are counted
// from 0, and -1 for others, which are added.  Returns how many are known then, -1 if there are other strings.
int64_t number_characters(Text values, Span<int32_t> known, int64_t count, Span<int32_t> numbers) {
    require(known.size == 128 && values.size == 2 * numbers.size, "arrays of other lengths");
    uint64_t others = 0;
    for (uint64_t row = 0; row < numbers.size; ++row) {
        uint64_t byte = values[2 * row];
        others |= uint64_t{byte == 0} | (byte >> 7) | values[2 * row + 1];
        int32_t& number = known[byte & 127];
        if (number < 0) number = static_cast<int32_t>(count++);
        numbers[row] = number;
    }
    return others ? -1 : count;
}

// Copies strings with a NUL behind each, and widens a range: `least` and `most` are the first two words of the smallest
// and of the largest string, their first bytes in the highest places.  There is room for a chunk behind the last.
// Returns whether there is a NUL among the bytes.
bool put_nuls_on(Text text, Span<const int64_t> offsets, Span<uint8_t> values, Span<uint64_t> least,
                 Span<uint64_t> most) {
    require(offsets.size && least.size == 2 && most.size == 2, "arrays of other lengths");
    uint64_t nrows = offsets.size - 1, size = static_cast<uint64_t>(offsets[nrows] - offsets[0]);
    require(size <= text.size && size + nrows + CHUNK <= values.size, "no room for the strings");
    uint64_t low = least[0], high = most[0], nuls = 0, row = 0, at = 0;
    // Goes on with the strings that end within a limit, given their bytes from byte `begin` on.
    auto put = [&](const uint8_t* bytes, uint64_t begin, uint64_t limit) {
        for (; row < nrows; ++row) {
            // There is a NUL for each string before.
            uint64_t stop = static_cast<uint64_t>(offsets[row + 1] - offsets[0]), into = at + row;
            require(at <= stop, "offsets descend");
            if (stop > limit) return;
            const uint8_t* from = bytes + (at - begin);
            uint64_t first = swapped(leading_bytes(word_at(from, 0), at, stop));
            // Most strings lie between, and the second word need not be compared.
            if (!(low < first && first < high)) {
                uint64_t second = swapped(leading_bytes(word_at(from, 8), at + 8, stop));
                if (first < least[0] || (first == least[0] && second < least[1])) {
                    low = least[0] = first;
                    least[1] = second;
                }
                if (first > most[0] || (first == most[0] && second > most[1])) {
                    high = most[0] = first;
                    most[1] = second;
                }
            }
            // Bytes copied beyond the end are overwritten.
            uint64_t ahead = 0;
            do {
                nuls |= copy_and_find<false>(from + ahead, values.data + into + ahead);
                ahead += CHUNK;
            } while (at + ahead < stop);
            values[stop + row] = 0;
            at = stop;
        }
    };
    // Words and chunks reach beyond the end of a string: the last strings are read from a copy with a margin.
    if (size > MARGIN) put(text.data, 0, size - MARGIN);
    std::vector<uint8_t> last(text.data + at, text.data + size);
    last.resize(size - at + MARGIN, 1);
    put(last.data(), at, size);
    require(row == nrows, "offsets descend");
    return nuls != 0;
}

// Unpacks what LZF has packed; returns how many bytes it makes, -1 if a step reads or writes where it may not.
int64_t unpack_lzf(Text packed, Span<uint8_t> out) {
    uint64_t place = 0, done = 0;
    while (place < packed.size) {
        uint64_t control = packed[place++];
        if (control < 32) {
            uint64_t count = control + 1;
            if (count > packed.size - place || count > out.size - done) return -1;
            std::memcpy(&out[done], &packed[place], count);
            place += count;
            done += count;
            continue;
        }
        uint64_t count = control >> 5;
        if (count == 7) {
            if (place >= packed.size) return -1;
            count += packed[place++];
        }
        if (place >= packed.size) return -1;
        uint64_t back = ((control & 31) << 8) + packed[place++] + 1;
        count += 2;
        if (back > done || count > out.size - done) return -1;
        // Byte by byte: a copy may overlap its own output, which then repeats.
        for (uint64_t step = 0; step < count; ++step, ++done) out[done] = out[done - back];
    }
    return static_cast<int64_t>(done);
}

// Returns whether a global heap has an object of no bytes at all, not even those of its own head, which only free space
// could be: HDF5 would go on to the next object for ever.
bool has_endless_object(Text heap) {
    constexpr uint64_t HEAD = 16;
    uint64_t place = HEAD;
    while (place + HEAD <= heap.size) {
        uint16_t index;
        uint64_t size;
        std::memcpy(&index, &heap[place], sizeof index);
        std::memcpy(&size, &heap[place + 8], sizeof size);
        if (size > heap.size - place) return false;
        uint64_t step = index ? HEAD + (size + 7) / 8 * 8 : size;
        if (!step) return true;
        if (step > heap.size - place) return false;
        place += step;
    }
    return false;
}

}  // namespace

MODULE("Strings with a NUL behind each, data packed by LZF, and heaps.",
       {"take_nuls_off", overloads<take_nuls_off>},
       {"number_characters", overloads<number_characters>},
       {"put_nuls_on", overloads<put_nuls_on>},
       {"unpack_lzf", overloads<unpack_lzf>},
       {"has_endless_object", overloads<has_endless_object>})
