import Catena
import Foundation

/// Measures the encoding of params and bodies, and the same by hand.
func bodiesGroup(_ effort: Effort) async throws {
    try await fewParams(effort)
    try await manyParams(effort)
    try await encodableParams(effort)
    try await growingParams(effort)
}

private func fewParams(_ effort: Effort) async throws {
    let params: Params = ["page": 1, "size": 20, "q": "caf\u{e9} & cr\u{e8}me"]
    let style = ParameterStyle()
    try await compare(
        "query of 3 params", iterations: effort.iterations(200_000), effort: effort,
        [
            Alternative(name: "URLComponents.queryItems") { count in
                for _ in 0..<count { keep(handWritten(fewItems()).percentEncodedQuery) }
            },
            Alternative(name: "URLComponents.queryItems, its + repaired") { count in
                for _ in 0..<count { keep(repaired(handWritten(fewItems()))) }
            },
            Alternative(name: "Catena") { count in
                for _ in 0..<count { keep(try URLQueryEncoder.encode(params, style: style)) }
            },
            Alternative(name: "Catena, the literal included") { count in
                for index in 0..<count {
                    keep(try URLQueryEncoder.encode(["page": index, "size": 20, "q": "caf\u{e9} & cr\u{e8}me"], style: style))
                }
            },
        ])
}

private func manyParams(_ effort: Effort) async throws {
    var params = Params()
    for index in 0..<9 { params[parameterNames[index]] = index }
    for index in 9..<18 { params[parameterNames[index]] = parameterTexts[index - 9] }
    params["tags"] = tags
    params["ids"] = ids
    let (described, style) = (params, ParameterStyle())
    try await compare(
        "query of 20 params, arrays and text that is not ASCII among them", iterations: effort.iterations(30_000), effort: effort,
        [
            Alternative(name: "URLComponents.queryItems") { count in
                for _ in 0..<count { keep(handWritten(manyItems()).percentEncodedQuery) }
            },
            Alternative(name: "URLComponents.queryItems, its + repaired") { count in
                for _ in 0..<count { keep(repaired(handWritten(manyItems()))) }
            },
            Alternative(name: "Catena") { count in
                for _ in 0..<count { keep(try URLQueryEncoder.encode(described, style: style)) }
            },
        ])
}

private let parameterNames = (0..<18).map { "parameter\($0)" }
private let parameterTexts = [
    "lobby", "caf\u{e9} & cr\u{e8}me", "2026-01-01T00:00:00Z", "\u{6771}\u{4eac}\u{90fd}", "someone@example.com",
    "https://example.com/?a=b",
    "a+b", "", "The quick brown fox jumps over the lazy dog",
]
private let tags = ["\u{6d4b}\u{8bd5}", "na\u{ef}ve", "plain", "a & b", "\u{1f600}"]
private let ids = Array(1...5)

private func fewItems() -> [URLQueryItem] {
    [
        URLQueryItem(name: "page", value: String(1)),
        URLQueryItem(name: "size", value: String(20)),
        URLQueryItem(name: "q", value: "caf\u{e9} & cr\u{e8}me"),
    ]
}

private func manyItems() -> [URLQueryItem] {
    var items: [URLQueryItem] = []
    for index in 0..<9 { items.append(URLQueryItem(name: parameterNames[index], value: String(index))) }
    for index in 9..<18 { items.append(URLQueryItem(name: parameterNames[index], value: parameterTexts[index - 9])) }
    for tag in tags { items.append(URLQueryItem(name: "tags[]", value: tag)) }
    for id in ids { items.append(URLQueryItem(name: "ids[]", value: String(id))) }
    return items
}

private func handWritten(_ items: [URLQueryItem]) -> URLComponents {
    var components = URLComponents()
    components.queryItems = items
    return components
}

/// Encodes plus signs, because `queryItems` leaves them and servers read them as spaces.
private func repaired(_ components: URLComponents) -> String? {
    components.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
}

private struct Filter: Encodable {
    let page: Int
    let size: Int
    let q: String
    let tags: [String]
}

private func encodableParams(_ effort: Effort) async throws {
    let style = ParameterStyle()
    try await compare(
        "query of an Encodable value with 4 members", iterations: effort.iterations(100_000), effort: effort,
        [
            Alternative(name: "JSONEncoder, to compare") { count in
                let encoder = JSONEncoder()
                for index in 0..<count { keep(try encoder.encode(Filter(page: index, size: 20, q: "caf\u{e9}", tags: ["a", "b"]))) }
            },
            Alternative(name: "Catena") { count in
                for index in 0..<count {
                    let params = try Params(encoding: Filter(page: index, size: 20, q: "caf\u{e9}", tags: ["a", "b"]))
                    keep(try URLQueryEncoder.encode(params, style: style))
                }
            },
        ])
}

/// Measures the cost of one param among many. It must not grow with their number.
private func growingParams(_ effort: Effort) async throws {
    let style = ParameterStyle()
    let sizes = effort.isSmoke ? [1_000, 10_000] : [1_000, 10_000, 100_000, 1_000_000]
    func measure(_ title: String, _ params: (Int) -> Params) async throws {
        try await compare(
            title, iterations: sizes[sizes.count - 1], effort: effort,
            sizes.map { size in
                let params = params(size)
                return Alternative(name: "of \(size)") { count in
                    for _ in 0..<max(1, count / size) { keep(try URLQueryEncoder.encode(params, style: style)) }
                }
            })
    }
    try await measure("one param of so many") { size in
        Params((0..<size).lazy.map { Params.Member(key: "key\($0)", node: .integer(Int64($0))) })
    }
    try await measure("one element of so many") { ["list": Array(0..<$0)] }
}
