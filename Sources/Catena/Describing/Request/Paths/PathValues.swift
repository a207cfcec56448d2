/// The places of interpolated values in the text of a path, from which the route of a call is made.
///
/// It stores at most four places in 64 bits, because a path must not cost an allocation for a route that hardly any call needs. If there are more
/// values, or a value or the text before it is longer than 250 bytes, the last place extends to the end of the path.
struct PathValues: Sendable {
    private static let mostPlaces = 4
    private static let longestGap = 255
    private static let longestValue = 253
    /// The length of a place that extends to the end. Other lengths are stored plus 1, so that a place is never zero.
    private static let toTheEnd = 255

    /// For each place 16 bits: the number of bytes since the place before, then the length.
    private var bits: UInt64 = 0

    private func place(_ index: Int) -> (gap: Int, length: Int) {
        let place = Int(truncatingIfNeeded: bits >> UInt64(index * 16))
        return (place >> 8 & 0xFF, place & 0xFF)
    }

    /// Records a value between two offsets of the text, in bytes. Values are recorded in their order.
    mutating func note(from start: Int, to end: Int) {
        var (index, last) = (0, 0)
        while index < Self.mostPlaces {
            let (gap, length) = place(index)
            if length == 0 { break }
            if length == Self.toTheEnd { return }
            last += gap + length - 1
            index += 1
        }
        guard index < Self.mostPlaces else {
            bits |= UInt64(Self.toTheEnd) << UInt64((index - 1) * 16)
            return
        }
        let (gap, length) = (start - last, end - start)
        let isShort = gap <= Self.longestGap && length <= Self.longestValue
        let place = min(gap, Self.longestGap) << 8 | (isShort ? length + 1 : Self.toTheEnd)
        bits |= UInt64(place) << UInt64(index * 16)
    }

    /// Records the values of a path that is appended at an offset.
    mutating func note(_ values: PathValues, at offset: Int) {
        var end = offset
        for index in 0..<Self.mostPlaces {
            let (gap, length) = values.place(index)
            if length == 0 { return }
            let start = end + gap
            end = length == Self.toTheEnd ? start + Self.longestValue + 1 : start + length - 1
            note(from: start, to: end)
        }
    }

    /// Returns the text with `{}` in place of each value.
    func template(of text: String) -> String {
        if bits == 0 { return text }
        var template = ""
        var rest = text[...]
        for index in 0..<Self.mostPlaces {
            let (gap, length) = place(index)
            if length == 0 { break }
            template += String(decoding: rest.utf8.prefix(gap), as: UTF8.self) + "{}"
            if length == Self.toTheEnd { return template }
            rest = Substring(rest.utf8.dropFirst(gap + length - 1))
        }
        return template + rest
    }
}
