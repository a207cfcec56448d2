import Catena
import Foundation

/// Measures the decoding of models with JSONDecoder and with the library's decoder, strictly and leniently.
func decodingGroup(_ effort: Effort) async throws {
    for sample in EnvelopeSample.all {
        try await compare(
            "\(sample.name) of small objects", [EnvelopeSample.User].self, from: sample.payload, iterations: sample.iterations, effort)
    }
    try await compare("400 deep", Link.self, from: Link.document(400), iterations: 200, effort)
    try await compare("100 KB of numbers", [[Double]].self, from: numbers(500), iterations: 40, effort)
    try await compare("a mixed document of 100 KB", Answer.self, from: jsonDocument(100_000), iterations: 40, effort)
}

private func compare<Value: Decodable>(
    _ title: String, _ type: Value.Type, from document: Data, iterations: Int, _ effort: Effort
) async throws {
    let decoder = JSONDecoder()
    let strict = JSONPayloadDecoder(decoder, .strict)
    let lenient = JSONPayloadDecoder(decoder, .lenient)
    try await compare(
        title, iterations: max(1, effort.iterations(iterations)), effort: effort,
        [
            Alternative(name: "JSONDecoder") { count in
                for _ in 0..<count { keep(try decoder.decode(type, from: document)) }
            },
            Alternative(name: "Catena's decoder, strict") { count in
                for _ in 0..<count { keep(try strict.decode(type, from: document)) }
            },
            Alternative(name: "Catena's decoder, lenient") { count in
                for _ in 0..<count { keep(try lenient.decode(type, from: document)) }
            },
        ])
}

private struct Link: Decodable {
    let value: Int
    let next: [Link]

    static func document(_ depth: Int) -> Data {
        let half = depth / 2
        return Data(
            (String(repeating: #"{"value":1,"next":["#, count: half) + #"{"value":0,"next":[]}"# + String(repeating: "]}", count: half))
                .utf8)
    }
}

private struct Answer: Decodable {
    struct Person: Decodable {
        struct Address: Decodable {
            let city: String
            let zip: String
            let geo: [Double]
        }

        let id: Int
        let name: String
        let email: String
        let score: Double
        let active: Bool
        let bio: String?
        let tags: [String]
        let address: Address
        let manager: String?
    }

    let errcode: Int
    let errmsg: String
    let data: [Person]
}

/// Returns lists of ten numbers that have the full precision of a `Double`.
private func numbers(_ count: Int) -> Data {
    let lists = (0..<count).map { list in
        "[\((0..<10).map { "\(-180 + Double(list * 10 + $0) / 13.7)" }.joined(separator: ","))]"
    }
    return Data("[\(lists.joined(separator: ","))]".utf8)
}
