/// The options after a command: `--name value` or `--name`.
struct Options {
    private var values: [String: String] = [:]

    init(_ arguments: some Sequence<String>) throws {
        var name: String?
        for argument in arguments {
            if argument.hasPrefix("--") {
                name = String(argument.dropFirst(2))
                values[name ?? ""] = ""
            } else if let known = name {
                values[known] = argument
                name = nil
            } else {
                throw Problem("\"\(argument)\" belongs to no option.")
            }
        }
    }

    func has(_ name: String) -> Bool { values[name] != nil }

    func text(_ name: String) -> String? { values[name].flatMap { $0.isEmpty ? nil : $0 } }

    func value<Value: LosslessStringConvertible>(_ name: String, default standard: Value) throws -> Value {
        guard let text = text(name) else { return standard }
        guard let value = Value(text) else { throw Problem("--\(name) cannot be \(text).") }
        return value
    }

    func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String, default standard: Value? = nil) throws -> Value {
        if let value = text(name).flatMap({ Value(rawValue: $0) }) { return value }
        guard let standard, text(name) == nil else {
            throw Problem("--\(name) is one of \(Value.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return standard
    }

    /// Returns the values of an option, which are separated by commas.
    func choices<Value: RawRepresentable<String> & CaseIterable>(_ name: String, default standard: [Value]) throws -> [Value] {
        guard let text = text(name) else { return standard }
        return try text.split(separator: ",").map { word in
            guard let value = Value(rawValue: String(word)) else {
                throw Problem("--\(name) are some of \(Value.allCases.map(\.rawValue).joined(separator: ",")).")
            }
            return value
        }
    }
}
