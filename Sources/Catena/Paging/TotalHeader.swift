/// Reads the number of items on all pages from the headers: `X-Total-Count: 57`, `Total-Count: 57`, or `Content-Range: items 0-9/57` as in RFC 9110
/// §14.4. Ignores values that are not plain counts.
enum TotalHeader {
    static func total(in headers: HTTPHeaders) -> Int? {
        count(headers, "X-Total-Count") ?? count(headers, "Total-Count") ?? headers["Content-Range"].flatMap(range)
    }

    private static func count(_ headers: HTTPHeaders, _ name: String) -> Int? {
        headers[name].flatMap { number($0[...]) }
    }

    /// Parses `items 0-9/57`, `items */57`, or a value without a unit. Ignores ranges of bytes, which count no items.
    private static func range(_ value: String) -> Int? {
        let words = value.split(separator: " ")
        guard let range = words.last, words.count == 1 || words.count == 2 && words[0].lowercased() != "bytes" else { return nil }
        let parts = range.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let total = number(parts[1]) else { return nil }
        if parts[0] == "*" { return total }
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]), first <= last, last < total else { return nil }
        return total
    }

    /// Parses a number of digits only.
    private static func number(_ text: Substring) -> Int? {
        let digits = text.trimming { $0 == " " || $0 == "\t" }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        return Int(digits)
    }
}

extension Substring {
    fileprivate func trimming(_ isBlank: (Character) -> Bool) -> Substring {
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
