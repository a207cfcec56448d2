import CatenaTesting
import Foundation
import Testing

@testable import Catena

@Suite(.limitedParallelism) struct JSONShapeTests {
    private static let user: JSONShape = .object([
        "id": .integer, "name": .string, "tags": .array(of: .string), "note": .optional(.string),
        "owner": .optional(.object(["id": .integer, "admin": .bool])), "extra": .optional(.any), "rate": .optional(.number),
    ])

    private func json(_ text: String) throws -> JSON { try JSON(parsing: Data(text.utf8)) }

    @Test(
        "each difference names the path, the wanted shape and the value",
        arguments: [
            (#"{"id": 1, "name": "a", "tags": []}"#, []),
            (#"{"id": 1.0, "name": "a", "tags": ["x"], "note": null, "other": [1], "rate": 0.5, "extra": {}}"#, []),
            (
                #"{"id": 1.5, "name": 7, "tags": ["x", 3]}"#,
                [
                    "id: wanted a whole number, but it is the number 1.5", "name: wanted a string, but it is the number 7",
                    "tags[1]: wanted a string, but it is the number 3",
                ]
            ),
            (
                #"{"id": "1", "name": null, "tags": {}}"#,
                [
                    "id: wanted a whole number, but it is the string \"1\"", "name: wanted a string, but it is null",
                    "tags: wanted an array, but it is an empty object",
                ]
            ),
            (
                #"{"name": "a", "tags": [], "owner": {"id": true}}"#,
                [
                    "id: wanted a whole number, but it is absent", "owner.admin: wanted a truth value, but it is absent",
                    "owner.id: wanted a whole number, but it is true",
                ]
            ),
            // A scalar in place of an object or an array
            (
                #"{"id": 1, "name": "a", "tags": 7, "owner": 7, "rate": true, "note": []}"#,
                [
                    "note: wanted a string, but it is an empty array", "owner: wanted an object, but it is the number 7",
                    "rate: wanted a number, but it is true", "tags: wanted an array, but it is the number 7",
                ]
            ),
            ("[]", ["the value: wanted an object, but it is an empty array"]),
        ])
    func faults(text: String, expected: [String]) throws {
        #expect(Self.user.faults(in: try json(text)).map(\.description) == expected)
    }

    @Test("a value of the wrong shape rejects a chain, with at most eight places and without secrets")
    func chain() async throws {
        let client = Client(transport: ClosureTransport { _ in .json(#"{"code": 0, "data": [1,1,1,1,1,1,1,1,1]}"#) })
        client.defaultHost = "https://example.com"
        let shape: JSONShape = .array(of: .string)
        let error = await #expect(throws: APIError.self) {
            try await client.get("/").execute().map { try shape.checked($0) }.value
        }
        #expect(error?.kind == .decoding)
        #expect(error?.message.hasPrefix("[0]: wanted a string, but it is the number 1; [1]: ") == true)
        #expect(error?.message.hasSuffix("; and 1 more") == true)
        let secret = JSONShape.object(["password": .integer]).faults(in: ["password": "made-up"])
        #expect(secret.map(\.description) == ["password: wanted a whole number, but it is a string"])
        #expect(try shape.checked(["a"]) == ["a"])
    }

    @Test("null members can be removed from a value, and from the payload of every response")
    func nulls() async throws {
        let text = #"{"a": null, "b": {"c": null, "d": [null, {"e": null}]}, "f": 1.50}"#
        #expect(JSON(removingNulls: try json(text)).text == #"{"b":{"d":[null,{}]},"f":1.50}"#)
        let client = Client(transport: ClosureTransport { _ in .json(#"{"code": 0, "data": {"x": "1", "y": null}}"#) })
        client.configure("plain") { $0.host = "https://example.com" }
        client.configure("clean") {
            $0.host = "https://example.com"
            $0.envelope = .standard.removingNulls()
        }
        #expect(try await client.tag("clean").get("/").value(as: [String: String].self) == ["x": "1"])
        #expect(try await client.tag("clean").get("/").execute().value == ["x": "1"])
        await #expect(throws: APIError.self) { try await client.tag("plain").get("/").value(as: [String: String].self) }
        let whole = try await client.tag("plain").get("/").envelope(.raw.removingNulls()).value(as: JSON.self)
        #expect(whole == ["code": 0, "data": ["x": "1"]])
    }
}
