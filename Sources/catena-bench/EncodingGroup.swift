import Catena
import Foundation

/// Measures the encoding of models with JSONEncoder and with the library's encoder.
func encodingGroup(_ effort: Effort) async throws {
    try await compare("one small object", EncodingSample.user(7), iterations: 10_000, effort)
    try await compare("100 KB of small objects", EncodingSample.users(900), iterations: 20, effort)
    try await compare("10 MB of small objects", EncodingSample.users(90_000), iterations: 1, effort)
    try await compare("100 KB of numbers", numbers { -180 + Double($0) / 13.7 }, iterations: 20, effort)
    try await compare("short numbers", numbers { Double($0) / 100 }, iterations: 20, effort)
    try await compare("200 deep", Link(200), iterations: 100, effort)
    try await compare("a mixed document of 100 KB", Answer.of(250), iterations: 20, effort)
    try await compare("a mixed document of 10 MB", Answer.of(25_000), iterations: 1, effort)
    try await compare("dates by ISO 8601", (0..<900).map { Date(timeIntervalSince1970: 1.7e9 + Double($0)) }, iterations: 20, effort)
    let plain = (0..<900).map { "\($0) and a text of common length without an escape" }
    try await compare("strings without escapes", plain, iterations: 50, effort)
    let escaped = (0..<900).map { Text(name: "/a/b/\($0)", text: "one\n\"two\"\t\\ end\n") }
    try await compare("strings with escapes", escaped, iterations: 20, effort)
    try await compare(
        "Chinese strings", (0..<900).map { Text(name: "\u{5f20}\u{4e09}\($0)", text: "\u{4eca}\u{5929}\u{5929}\u{6c14}\u{5f88}\u{597d}") },
        iterations: 20, effort)
    let members = (0..<900).map { ("key number \($0)", $0) }
    try await compare("a dictionary of 900 members", Dictionary(uniqueKeysWithValues: members), iterations: 20, effort)
}

private func compare(_ title: String, _ value: some Encodable & Sendable, iterations: Int, _ effort: Effort) async throws {
    let encoder = JSONEncoder()
    if title.contains("ISO 8601") { encoder.dateEncodingStrategy = .iso8601 }
    let own = JSONPayloadEncoder(encoder)
    guard try own.direct(value) != nil else { throw APIError(.other) }
    try await compare(
        title, iterations: max(1, effort.iterations(iterations)), effort: effort,
        [
            Alternative(name: "JSONEncoder") { count in
                for _ in 0..<count { keep(try encoder.encode(value)) }
            },
            Alternative(name: "Catena's encoder") { count in
                for _ in 0..<count { keep(try own.encode(value)) }
            },
        ])
}

enum EncodingSample {
    struct User: Encodable, Sendable {
        let id: Int
        let name: String
        let email: String
        let isActive: Bool
        let score: Double
        let tags: [String]
    }

    static func user(_ index: Int) -> User {
        User(
            id: index, name: "User number \(index)", email: "user\(index)@example.com", isActive: index.isMultiple(of: 2),
            score: Double(index) * 0.37, tags: ["alpha", "beta"])
    }

    static func users(_ count: Int) -> [User] { (0..<count).map(user) }
}

private func numbers(_ number: (Int) -> Double) -> [[Double]] {
    (0..<500).map { list in (0..<10).map { number(list * 10 + $0) } }
}

private struct Link: Encodable, Sendable {
    let value: Int
    let next: [Link]

    init(_ depth: Int) {
        value = depth
        next = depth > 0 ? [Link(depth - 1)] : []
    }
}

private struct Text: Encodable, Sendable {
    let name: String
    let text: String
}

private struct Answer: Encodable, Sendable {
    struct Person: Encodable, Sendable {
        struct Address: Encodable, Sendable {
            let city: String
            let geo: [Double]
        }

        enum Kind: String, Encodable { case admin, member }

        let id: Int
        let name: String
        let score: Double
        let active: Bool
        let bio: String?
        let tags: [String]
        let address: Address
        let manager: String?
        let kind: Kind
        let at: Date
        let link: URL?
        let key: UUID
        let extra: [String: Int]
    }

    let errcode: Int
    let errmsg: String
    let data: [Person]

    static func of(_ count: Int) -> Answer {
        let people = (0..<count).map { index in
            Person(
                id: index, name: "User number \(index)", score: Double(index) * 0.37, active: index.isMultiple(of: 2),
                bio: "Writes about caf\u{e9}s \"and\" such,\n twice.", tags: ["alpha", "beta", "gamma\(index % 7)"],
                address: .init(city: "Springfield", geo: [12.5, -Double(index % 90) - 0.25]), manager: nil, kind: .admin,
                at: Date(timeIntervalSince1970: 1.7e9 + Double(index)), link: URL(string: "https://example.com/a/\(index)"), key: UUID(),
                extra: ["a": 1, "b": 2])
        }
        return Answer(errcode: 0, errmsg: "ok", data: people)
    }
}
