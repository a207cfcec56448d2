import Catena
import CatenaTesting
import Foundation

/// Measures the decoding of a payload in its envelope, by Catena and with a handwritten `Envelope` type.
func envelopeGroup(_ effort: Effort) async throws {
    try await compareSingle(effort)
    for sample in EnvelopeSample.all {
        let decoder = JSONDecoder()
        let response = try await sample.response()
        try await compare(
            "\(sample.name): an envelope with \(sample.count) users", iterations: max(1, effort.iterations(sample.iterations)),
            effort: effort,
            [
                Alternative(name: "JSONDecoder on struct Envelope") { count in
                    for _ in 0..<count { keep(try sample.decodeByHand(decoder)) }
                },
                Alternative(name: "Catena's envelope, then JSONDecoder") { count in
                    for _ in 0..<count { keep(try sample.decode(response, decoder)) }
                },
                Alternative(name: "Catena's envelope and decoder") { count in
                    for _ in 0..<count {
                        keep(try Envelope.standard.value(of: response, as: [EnvelopeSample.User].self, decoder: decoder))
                    }
                },
                Alternative(name: "a whole call of Catena, over a stub") { count in
                    for _ in 0..<count { keep(try await sample.request.value(as: [EnvelopeSample.User].self)) }
                },
            ])
    }
}

private func compareSingle(_ effort: Effort) async throws {
    let sample = EnvelopeSample.single
    let decoder = JSONDecoder()
    let response = try await sample.response()
    try await compare(
        "\(sample.body.count) bytes: an envelope with one user", iterations: max(1, effort.iterations(sample.iterations)), effort: effort,
        [
            Alternative(name: "JSONDecoder on struct Envelope") { count in
                for _ in 0..<count { keep(try sample.decodeOneByHand(decoder)) }
            },
            Alternative(name: "Catena's envelope and decoder") { count in
                for _ in 0..<count {
                    keep(try Envelope.standard.value(of: response, as: EnvelopeSample.User.self, decoder: decoder))
                }
            },
        ])
}

struct EnvelopeSample: Sendable {
    struct User: Codable, Sendable {
        let id: Int
        let name: String
        let email: String
        let isActive: Bool
        let score: Double
        let tags: [String]
    }

    private struct Wrapped<Payload: Decodable>: Decodable {
        let code: Int
        let msg: String
        let data: Payload?
    }

    /// A single user without a list.
    static let single = EnvelopeSample(name: "150 bytes", count: 1, iterations: 20_000, isList: false)

    static let small = EnvelopeSample(name: "1 KB", count: 7, iterations: 4000)
    static let all = [
        small,
        EnvelopeSample(name: "100 KB", count: 700, iterations: 40),
        EnvelopeSample(name: "10 MB", count: 70_000, iterations: 1),
    ]

    let name: String
    let count: Int
    let iterations: Int
    /// The users without the envelope.
    let payload: Data
    let body: Data
    let request: Request

    init(name: String, count: Int, iterations: Int, isList: Bool = true) {
        self.name = name
        self.count = count
        self.iterations = iterations
        let users = (0..<count).map { index in
            #"{"id":\#(index),"name":"User number \#(index)","email":"user\#(index)@example.com","isActive":true,"score":\#(index).5,"tags":["a","bc"]}"#
        }
        let payload = isList ? "[\(users.joined(separator: ","))]" : users[0]
        self.payload = Data(payload.utf8)
        let body = Data(#"{"code":0,"msg":"ok","data":\#(payload)}"#.utf8)
        self.body = body
        let stub = ClosureTransport { _ in
            TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: TransportBody(body))
        }
        let client = Client(transport: stub)
        client.defaultHost = "https://forum.example.com"
        request = client.get("/users")
    }

    func response() async throws -> HTTPResponse {
        HTTPResponse(
            status: 200, headers: ["Content-Type": "application/json"], body: body, address: try await request.preview().address)
    }

    func decodeByHand(_ decoder: JSONDecoder) throws -> [User] {
        try decodeByHand(decoder, as: [User].self)
    }

    func decodeOneByHand(_ decoder: JSONDecoder) throws -> User {
        try decodeByHand(decoder, as: User.self)
    }

    private func decodeByHand<Payload: Decodable>(_ decoder: JSONDecoder, as type: Payload.Type) throws -> Payload {
        let wrapped = try decoder.decode(Wrapped<Payload>.self, from: body)
        guard wrapped.code == 0, let payload = wrapped.data else { throw APIError(.business) }
        return payload
    }

    func decode(_ response: HTTPResponse, _ decoder: JSONDecoder) throws -> [User] {
        guard let payload = try Envelope.standard.read(response).payloadBytes else { throw APIError(.missingPayload) }
        return try decoder.decode([User].self, from: payload)
    }
}
