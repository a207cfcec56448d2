import Catena
import CatenaPlatform

/// The comparable form of a request. It lacks secrets and the values that differ each time, and ignores the order of query items, form fields and members.
struct RequestLikeness: Sendable, Equatable {
    enum Body: Sendable, Equatable {
        case none
        case json(JSON)
        case form([String: [String]])
        case parts([MultipartBody.Part])
        case bytes(Data)
    }

    private let method: HTTPMethod
    private let origin: String
    private let path: String
    private let query: [String: [String]]
    private let headers: [String: String]
    private let body: Body

    /// - Parameter request: The request without its secrets.
    init(_ request: HTTPRequest, _ rules: RecordingRules) {
        method = request.method
        origin = request.address.origin
        path = request.address.path
        query = Self.items(request.address.query ?? "", rules)
        var headers: [String: String] = [:]
        for name in rules.comparedHeaders { headers[name] = request.headers[name] }
        self.headers = headers
        let type = request.headers["Content-Type"]
        if let data = request.body, !data.isEmpty {
            if let multipart = MultipartBody(data, contentType: type) {
                body = .parts(multipart.parts.filter { $0.filename != nil || !rules.volatileParams.contains($0.name) })
            } else if let json = try? JSON(parsing: data) {
                body = .json(json.without(rules.volatileParams))
            } else if type?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true {
                body = .form(Self.items(String(decoding: data, as: UTF8.self), rules))
            } else {
                body = .bytes(data)
            }
        } else {
            body = .none
        }
    }

    /// The method, origin and path, by which entries are indexed.
    var place: String { "\(method) \(origin)\(path)" }

    /// Returns the differences of a call from this one.
    func differences(from call: RequestLikeness, in words: DifferenceWords) -> [Difference] {
        var found: [Difference] = []
        if call.method != method { found.append(Difference(text: "the method is \(call.method), not \(method)", weight: 100)) }
        if call.origin != origin { found.append(Difference(text: "the host is \(call.origin), not \(origin)", weight: 100)) }
        if call.path != path {
            let distance = Difference.distance(call.path, path)
            found.append(Difference(text: "the path is \(words.shown(call.path))", weight: 100 + distance))
        }
        // If the target differs, other differences do not help to find the cause.
        guard found.isEmpty else { return found }
        return Self.differences(call.query, query, "query item", words)
            + Self.differences(call.headers.mapValues { [$0] }, headers.mapValues { [$0] }, "header", words)
            + bodyDifferences(from: call, words)
    }

    private func bodyDifferences(from call: RequestLikeness, _ words: DifferenceWords) -> [Difference] {
        switch (call.body, body) {
        case (let actual, let recorded) where actual == recorded: []
        case (.none, _): [Difference(text: "there is no body")]
        case (_, .none): [Difference(text: "there is a body")]
        case (.json(let actual), .json(let recorded)):
            JSONComparison(isPart: false, words: words).difference(actual, recorded).map { [$0] } ?? []
        case (.form(let actual), .form(let recorded)): Self.differences(actual, recorded, "form field", words)
        case (.parts(let actual), .parts(let recorded)): Self.differences(actual, recorded)
        case (.bytes(let actual), .bytes(let recorded)):
            [Difference(text: "the body's \(actual.count) bytes are not the recorded \(recorded.count)")]
        default: [Difference(text: "the body is of another kind")]
        }
    }

    private static func differences(
        _ actual: [String: [String]], _ recorded: [String: [String]], _ what: String, _ words: DifferenceWords
    ) -> [Difference] {
        Set(actual.keys).union(recorded.keys).sorted().compactMap { name in
            switch (actual[name], recorded[name]) {
            case (let found?, let wanted?) where found != wanted:
                words.value(of: name, in: "the \(what) \(name)", is: found.joined(separator: ", "), not: wanted.joined(separator: ", "))
            case (nil, _?): Difference(text: "the \(what) \(name) is missing")
            case (_?, nil): Difference(text: "the \(what) \(name) is there")
            default: nil
            }
        }
    }

    private static func differences(_ actual: [MultipartBody.Part], _ recorded: [MultipartBody.Part]) -> [Difference] {
        guard actual.count == recorded.count else {
            return [Difference(text: "the body has \(actual.count) parts, not \(recorded.count)")]
        }
        return zip(actual, recorded).filter { $0 != $1 }.map { Difference(text: "the part \($0.0.name) is another one") }
    }

    private static func items(_ text: String, _ rules: RecordingRules) -> [String: [String]] {
        let items = StubRequest.items(Substring(text)).filter { !rules.volatileParams.contains($0.name) }
        return Dictionary(items.map { ($0.name, [$0.value]) }, uniquingKeysWith: +)
    }
}
