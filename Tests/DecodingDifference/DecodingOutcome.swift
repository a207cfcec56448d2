import Foundation

/// The outcome of decoding a text.
enum DecodingOutcome<Value: Equatable> {
    case value(Value)
    case failure(Failure)
    /// The decoder reports without a path that the text is not JSON. JSONDecoder also reports some numbers that do not fit in this way.
    case noJSON

    struct Failure {
        let kind: String
        let path: [String]
        let words: String

        /// Whether the failures are about different values, neither of which contains the other.
        func isApart(from other: Failure) -> Bool {
            zip(path, other.path).contains { $0 != $1 }
        }
    }

    init(_ decode: () throws -> Value) {
        do {
            self = .value(try decode())
        } catch let error as DecodingError {
            self = Self.outcome(of: error)
        } catch {
            self = .failure(Failure(kind: "\(error)", path: [], words: ""))
        }
    }

    private static func outcome(of error: DecodingError) -> DecodingOutcome {
        func failure(_ kind: String, _ context: DecodingError.Context) -> DecodingOutcome {
            let path = context.codingPath.map { "\($0.stringValue) \($0.intValue ?? -1)" }
            return .failure(Failure(kind: kind, path: path, words: context.debugDescription))
        }
        switch error {
        case .keyNotFound(let key, let context): return failure("missing \(key.stringValue) \(key.intValue ?? -1)", context)
        case .valueNotFound(let type, let context): return failure("null \(type)", context)
        case .typeMismatch(let type, let context): return failure("type \(type)", context)
        case .dataCorrupted(let context):
            if context.codingPath.isEmpty, context.debugDescription.contains("not valid JSON") { return .noJSON }
            return failure("corrupted", context)
        @unknown default: return .failure(Failure(kind: "unknown", path: [], words: ""))
        }
    }

    func isSame(as other: DecodingOutcome) -> Bool {
        switch (self, other) {
        // NaN is not equal to itself, so compare descriptions as well.
        case (.value(let one), .value(let other)): one == other || parts(of: one) == parts(of: other)
        case (.failure(let one), .failure(let other)): one.kind == other.kind && one.path == other.path
        case (.noJSON, .noJSON): true
        default: false
        }
    }
}

/// Returns a description of a value, in which the order of dictionaries and sets is normalized.
private func parts(of value: Any) -> String {
    if let data = value as? Data { return "\([UInt8](data))" }
    let mirror = Mirror(reflecting: value)
    guard !mirror.children.isEmpty else { return String(reflecting: value) }
    let children = mirror.children.map { "\($0.label ?? ""): \(parts(of: $0.value))" }
    let isUnordered = mirror.displayStyle == .dictionary || mirror.displayStyle == .set
    return "\(mirror.subjectType)(\((isUnordered ? children.sorted() : children).joined(separator: ", ")))"
}
