import Catena
import CatenaPlatform

/// The calls that a stub or an expectation matches.
struct StubTarget: Sendable, CustomStringConvertible {
    let method: HTTPMethod?
    private let origin: String?
    private let path: PathPattern
    var conditions: [StubCondition] = []
    /// Why the path is none, so that nothing fits.
    let fault: String?

    /// - Parameter path: A path pattern. A scheme and a host limit it to that host, and a query becomes a condition.
    init(_ method: HTTPMethod?, _ path: Path) {
        switch path.settled {
        case .success(let text): self.init(method, text, fault: nil)
        case .failure(let error): self.init(method, path.description, fault: error.message)
        }
    }

    private init(_ method: HTTPMethod?, _ path: String, fault: String?) {
        self.method = method
        self.fault = fault
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var text = parts[0]
        if let scheme = text.firstRange(of: "://") {
            let rest = text[scheme.upperBound...]
            let slash = rest.firstIndex(of: "/") ?? rest.endIndex
            origin = text[..<slash].lowercased()
            text = rest[slash...]
        } else {
            origin = nil
        }
        self.path = PathPattern(text)
        if parts.count == 2 { conditions.append(.query(text: parts[1])) }
    }

    var description: String { "\(method.map { "\($0) " } ?? "")\(origin ?? "")\(path)" }

    /// Returns the values of `{name}` in the path.
    func parameters(of call: StubRequest) -> [String: String] {
        call.paths.lazy.compactMap { path.match($0) }.first ?? [:]
    }

    /// Returns the differences of a call, which are none if it matches.
    func differences(from call: StubRequest) -> [Difference] {
        if let fault { return [Difference(text: fault, weight: 1)] }
        var found: [Difference] = []
        if let method, method != call.method { found.append(Difference(text: "the method is \(call.method)", weight: 100)) }
        if let origin, let actual = call.sent?.address.origin, origin != actual {
            found.append(Difference(text: "the host is \(actual)", weight: 100))
        }
        if !call.paths.contains(where: { path.match($0) != nil }) {
            let distance = call.paths.map { Difference.distance($0, path.description) }.min() ?? 0
            found.append(Difference(text: "the path is \(call.words.shown(call.path))", weight: 100 + distance))
        }
        // If the target differs, other differences do not help to find the cause.
        return found.isEmpty ? conditions.flatMap { $0.differences(call) } : found
    }
}
