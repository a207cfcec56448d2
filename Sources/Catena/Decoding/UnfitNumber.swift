import Foundation

/// Finds the number in a JSON document that a decoder cannot take for what is wanted.
///
/// On some platforms JSONDecoder says of such a number, without its path, that the document is no JSON.
struct UnfitNumber {
    let steps: [JSONPath.Step]
    let value: JSON

    /// Whether a decoder refuses a document, which is JSON, in that way.
    static func isMeant(by error: DecodingError) -> Bool {
        guard case .dataCorrupted(let context) = error else { return false }
        return context.codingPath.isEmpty && context.debugDescription.contains("not valid JSON")
    }

    /// Decodes the document anew with ever fewer of its numbers replaced by 0. It names a number only if the document can be decoded
    /// with that number replaced, and cannot with it as it is.
    ///
    /// - Returns: `nil` if that cannot be told of any, as where more than numbers is wrong.
    init?(in document: JSON, canDecode: (Data) -> Bool) {
        var places: [(path: [String], value: JSON)] = []
        _ = document.replacingScalars { path, scalar in
            if scalar.mayBeUnfit { places.append((path, scalar)) }
            return nil
        }
        /// Whether it can be decoded with only so many numbers, the first ones, as they are.
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

    /// "the number 1.5", unless it is a secret.
    var summary: String {
        let isSecret = steps.contains { step in
            if case .key(let key) = step { Redaction.current.isSecret(name: key) } else { false }
        }
        return value.summary(hidden: isSecret)
    }
}

extension JSON {
    /// Small whole numbers fit every type, and stay, since they may be all that a type takes.
    fileprivate var mayBeUnfit: Bool {
        switch storage {
        case .integer(let value): !(0...127).contains(value)
        case .unsigned, .number: true
        default: false
        }
    }

    /// Keys, and places of elements, as they are in this document.
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
