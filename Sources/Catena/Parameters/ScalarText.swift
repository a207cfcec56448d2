import Foundation

extension ParameterStyle {
    /// The text of a scalar; `nil` for null, arrays and objects, which each kind of body treats in its own way.
    func text(of node: ParameterNode) throws(ParameterError) -> String? {
        switch node {
        case .null, .array, .object: nil
        case .bool(let value):
            switch booleans {
            case .literal: value ? "true" : "false"
            case .numeric: value ? "1" : "0"
            }
        case .string(let value): value
        case .date(let value): try text(of: value)
        case .data(let value): try text(of: value)
        case .integer, .unsigned, .double, .decimal, .number: try numberText(of: node)
        }
    }

    /// The text of a number, which is the same in a query and in JSON; `nil` for anything else.
    func numberText(of node: ParameterNode) throws(ParameterError) -> String? {
        switch node {
        case .integer(let value): return String(value)
        case .unsigned(let value): return String(value)
        case .double(let value): return try finite(value)
        case .decimal(let value):
            guard value.isFinite else { throw ParameterError("it is not a number (NaN)") }
            return value.description
        case .number(let text):
            guard isJSONNumber(text) else { throw ParameterError("'\(text.prefix(40))' is not the text of a number") }
            return text
        default: return nil
        }
    }

    func text(of date: Date) throws(ParameterError) -> String {
        switch dates {
        case .iso8601:
            guard let text = date.iso8601Text else { throw ParameterError("the date is outside the years 0001 to 9999") }
            return text
        case .seconds: return try finite(date.timeIntervalSince1970)
        case .milliseconds: return try finite((date.timeIntervalSince1970 * 1000).rounded())
        case .formatted(let closure): return try caught { () throws in try closure(date) }
        }
    }

    func text(of data: Data) throws(ParameterError) -> String {
        switch self.data {
        case .base64: return data.base64EncodedString()
        case .base64URL:
            return data.base64EncodedString()
                .replacingOccurrences(of: "+", with: "-")
                .replacingOccurrences(of: "/", with: "_")
                .replacingOccurrences(of: "=", with: "")
        case .formatted(let closure): return try caught { () throws in try closure(data) }
        }
    }

    private func finite(_ value: Double) throws(ParameterError) -> String {
        guard let text = value.shortestText else {
            throw ParameterError(value.isNaN ? "it is not a number (NaN)" : "it is infinite")
        }
        return text
    }

    private func caught(_ closure: () throws -> String) throws(ParameterError) -> String {
        do {
            return try closure()
        } catch {
            throw ParameterError("its formatter failed: \(error)", underlying: error)
        }
    }
}
