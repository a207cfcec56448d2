import CatenaPlatform

/// Finds the number in a JSON document that does not fit the decoded type.
///
/// On some platforms, `JSONDecoder` reports such a number as invalid JSON, without its path.
struct UnfitNumber {
    let steps: [JSONPath.Step]
    let value: JSON

    /// Whether the error is that of a decoder that rejects the document as invalid JSON.
    static func isMeant(by error: DecodingError) -> Bool {
        guard case .dataCorrupted(let context) = error else { return false }
        return context.codingPath.isEmpty && context.debugDescription.contains("not valid JSON")
    }

    /// Searches for the number by bisection: decodes the document with some of its numbers replaced by 0.
    ///
    /// - Returns: The first number that does not fit, or `nil` if the document has other errors, too.
    init?(in document: JSON, canDecode: (Data) -> Bool) {
        var places: [(path: [String], value: JSON)] = []
        _ = document.replacingScalars { path, scalar in
            if scalar.mayBeUnfit { places.append((path, scalar)) }
            return nil
        }
        /// Returns whether the document can be decoded with only its first `count` numbers unchanged.
        func decodes(keeping count: Int) -> Bool {
            var seen = 0
            let changed = document.replacingScalars { _, scalar in
                guard scalar.mayBeUnfit else { return nil }
                seen += 1
                return seen > count ? 0 : nil
            }
            return canDecode((changed ?? document).encoded)
        }
        guard !places.isEmpty, decodes(keeping: 0) else { return nil }
        var (good, bad) = (0, places.count)
        while bad - good > 1 {
            let middle = (good + bad) / 2
            if decodes(keeping: middle) { good = middle } else { bad = middle }
        }
        steps = document.steps(along: places[good].path)
        value = places[good].value
    }

    /// The description of the number, or a redacted one if it is a secret.
    var summary: String { value.summary(hidden: JSONPath.isSecret(steps[...])) }
}

extension JSON {
    /// Small whole numbers fit every type. They are not replaced, because a type may accept only certain numbers.
    fileprivate var mayBeUnfit: Bool {
        switch storage {
        case .integer(let value): !(0...127).contains(value)
        case .unsigned, .number: true
        default: false
        }
    }

    /// Converts the parts of a path to keys and indices, according to the document.
    fileprivate func steps(along path: [String]) -> [JSONPath.Step] {
        var value = self
        return path.map { part in
            if case .array = value.storage, let index = Int(part) {
                value = value[index]
                return .index(index)
            }
            value = value[part]
            return .key(part)
        }
    }
}
