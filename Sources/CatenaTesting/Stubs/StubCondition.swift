import Catena
import CatenaPlatform

/// A condition that a call must meet.
struct StubCondition: Sendable {
    /// Returns the differences of a call, which are none if it meets the condition.
    let differences: @Sendable (StubRequest) -> [Difference]

    static func tag(_ tag: Tag?) -> StubCondition {
        StubCondition { call in
            guard call.tag != tag else { return [] }
            return [Difference(text: "the tag is \(call.tag?.name ?? "absent"), not \(tag?.name ?? "absent")")]
        }
    }

    static func query(_ params: Params) -> StubCondition {
        items(params, of: "query item") { $0.queryItems }
    }

    /// Returns a condition for the encoded query of an address.
    static func query(text: Substring) -> StubCondition {
        let expected = StubRequest.items(text)
        return StubCondition { differences(of: $0, between: $0.queryItems, and: expected, of: "query item") }
    }

    /// Returns a condition for one query item. `nil` stands for its absence.
    static func query(_ name: String, _ value: (any ParameterValue)?) -> StubCondition {
        var params = Params()
        params[name] = value
        guard params.isEmpty else { return query(params) }
        return StubCondition { call in
            // An array or an object is sent under names such as `q[]` and `q[a]`.
            let isThere = call.queryItems.contains { $0.name == name || $0.name.hasPrefix(name + "[") }
            return isThere ? [Difference(text: "the query item \(name) is there")] : []
        }
    }

    static func form(_ params: Params) -> StubCondition {
        ofBody(items(params, of: "form field") { $0.formItems }.differences)
    }

    static func header(_ name: String, _ value: String?) -> StubCondition {
        StubCondition { call in
            switch (call.headers[name], value) {
            case (let actual, let value) where actual == value: []
            case (_?, nil): [Difference(text: "the header \(name) is there")]
            case (nil, _): [Difference(text: "the header \(name) is missing")]
            case (let actual, let value):
                [call.words.value(of: name, in: "the header \(name)", is: actual ?? "", not: value ?? "")]
            }
        }
    }

    static func json(_ expected: JSON, isPart: Bool) -> StubCondition {
        ofBody { call in
            guard !call.body.isEmpty else { return [Difference(text: "there is no body")] }
            guard let json = try? JSON(parsing: call.body) else { return [Difference(text: "the body is no JSON")] }
            return JSONComparison(isPart: isPart, words: call.words).difference(json, expected).map { [$0] } ?? []
        }
    }

    /// Returns a condition for the JSON of a value, encoded with the tag's encoder.
    static func json(of value: some Encodable & Sendable, isPart: Bool) -> StubCondition {
        StubCondition { call in
            do {
                return json(try JSON(parsing: call.context.encoder.encode(value)), isPart: isPart).differences(call)
            } catch {
                return [Difference(text: "the expected value cannot be written as JSON: \(error)")]
            }
        }
    }

    static func json(text: String) -> StubCondition {
        do throws(JSONSyntaxError) {
            return json(try JSON(parsing: Data(text.utf8)), isPart: false)
        } catch {
            let reason = "\(error)"
            return StubCondition { _ in [Difference(text: "the expected text is no JSON: \(reason)")] }
        }
    }

    static func body(_ expected: Data) -> StubCondition {
        ofBody { call in
            let body = call.body
            guard body != expected else { return [] }
            guard let actual = String(wholeUTF8: body), let wanted = String(wholeUTF8: expected) else {
                return [Difference(text: "the body's \(body.count) bytes are not the expected \(expected.count)")]
            }
            return [call.words.value(of: "", in: "the body", is: "\"\(actual)\"", not: "\"\(wanted)\"")]
        }
    }

    static func when(_ predicate: @escaping @Sendable (StubRequest) -> Bool, at place: Place) -> StubCondition {
        StubCondition { predicate($0) ? [] : [Difference(text: "the condition at \(place) is not met")] }
    }

    /// Returns a condition that only a body in memory can meet.
    private static func ofBody(_ differences: @escaping @Sendable (StubRequest) -> [Difference]) -> StubCondition {
        StubCondition { call in call.unreadBody.map { [Difference(text: $0)] } ?? differences(call) }
    }

    private static func items(
        _ params: Params, of what: String, _ actual: @escaping @Sendable (StubRequest) -> [(name: String, value: String)]
    ) -> StubCondition {
        StubCondition { call in
            do {
                return differences(of: call, between: actual(call), and: try call.context.items(of: params), of: what)
            } catch {
                return [Difference(text: "the expected \(what)s cannot be written: \(error)")]
            }
        }
    }

    /// Compares the values of every expected name. Other names are allowed.
    private static func differences(
        of call: StubRequest, between actual: [(name: String, value: String)], and expected: [(name: String, value: String)],
        of what: String
    ) -> [Difference] {
        var names: [String] = []
        for (name, _) in expected where !names.contains(name) { names.append(name) }
        return names.compactMap { name in
            let found = actual.filter { $0.name == name }.map(\.value)
            let wanted = expected.filter { $0.name == name }.map(\.value)
            if found == wanted { return nil }
            if found.isEmpty { return Difference(text: "the \(what) \(name) is missing") }
            return call.words.value(
                of: name, in: "the \(what) \(name)", is: found.joined(separator: ", "), not: wanted.joined(separator: ", "))
        }
    }
}
