// Not @testable, so that the calls resolve as in another module.
import Catena
import Foundation
import Testing

@Suite("JSON, reading with errors", .limitedParallelism)
struct JSONReadingTests {
    private struct User: Codable, Equatable {
        let id: Int
        let name: String
        var joined: Date?
        var address: Address?

        struct Address: Codable, Equatable {
            let zip: String
        }
    }

    private let answer: JSON = [
        "users": [
            ["id": 7, "name": "Ann", "tags": ["a", "b"], "score": 1.5, "admin": true, "note": nil],
            ["id": "x", "address": ["zip": 5], "token": "made-up", "joined": "yesterday"],
        ],
        "next": "https://example.com/?page=2&token=made-up", "a.b": ["c": 1], "empty": [], "none": [:],
    ]

    @Test("a value at a path is read as any Decodable type")
    func values() throws {
        let id: Int = try answer.users[0].id()
        #expect(id == 7)
        #expect(try answer.users[0].id(as: Int.self) == 7)
        #expect(try answer("users[0].id", as: Int.self) == 7)
        #expect(try answer("users[0].name", as: String.self) == "Ann")
        #expect(try answer("users[0].score", as: Double.self) == 1.5)
        #expect(try answer("users[0].id", as: Double.self) == 7)
        #expect(try answer("users[0].admin", as: Bool.self))
        #expect(try answer("users[0].tags", as: [String].self) == ["a", "b"])
        #expect(try answer("users[0].tags", as: [JSON].self) == ["a", "b"])
        #expect(try answer("users[0]", as: User.self) == User(id: 7, name: "Ann"))
        #expect(try answer.users[0](as: User.self).name == "Ann")
        #expect(try answer["a.b"]("c", as: Int.self) == 1)
        #expect(try answer("empty", as: [Int].self) == [])
        #expect(try answer(as: JSON.self) == answer)
    }

    @Test("read as an optional, an absent value or null is nil, and a value of another type is an error")
    func optionals() throws {
        #expect(try answer("users[0].note", as: String?.self) == nil)
        #expect(try answer("users[0].nothing.at.all", as: String?.self) == nil)
        #expect(try answer("users[9].id", as: Int?.self) == nil)
        #expect(try answer("users[0].id", as: Int?.self) == 7)
        #expect(try answer("users[0].nothing", as: JSON.self).isNull)
        #expect(throws: APIError.self) { try answer("users[1].id", as: Int?.self) }
    }

    static let faults: [(path: String, type: any (Decodable & Sendable).Type, message: String)] = [
        ("users[1].id", Int.self, #"users[1].id: wanted Int, but it is the string "x""#),
        ("users[0].id", String.self, "users[0].id: wanted String, but it is the number 7"),
        ("users[0].id", Bool.self, "users[0].id: wanted Bool, but it is the number 7"),
        ("users[0].admin", Int.self, "users[0].admin: wanted Int, but it is true"),
        ("users[0].note", String.self, "users[0].note: wanted String, but it is null"),
        ("users[0].nick", String.self, "users[0].nick: wanted String, but users[0] is an object with id, name, tags, score, admin, note"),
        ("users[0].name.first", String.self, #"users[0].name.first: wanted String, but users[0].name is the string "Ann""#),
        ("users[2].name", String.self, "users[2].name: wanted String, but users is an array of 2"),
        ("none.x", Int.self, "none.x: wanted Int, but none is an empty object"),
        ("empty[0]", Int.self, "empty[0]: wanted Int, but empty is an empty array"),
        ("[0]", Int.self, "[0]: wanted Int, but the value is an object with users, next, a.b, empty, none"),
        ("", Int.self, "the value: wanted Int, but it is an object with users, next, a.b, empty, none"),
        ("users[0].tags", [Int].self, #"users[0].tags[0]: wanted Int, but it is the string "a""#),
        ("users..id", Int.self, #""users..id" is not a path: a key is empty"#),
        // Secrets, by their key or within a text
        ("users[1].token", Int.self, "users[1].token: wanted Int, but it is a string"),
        ("next", Int.self, #"next: wanted Int, but it is the string "https://example.com/?page=2&token=***…""#),
    ]

    @Test("an error names the path, the wanted type and the value", arguments: faults.indices)
    func errors(row: Int) throws {
        let (path, type, message) = Self.faults[row]
        func read<Value: Decodable>(_ type: Value.Type) throws { _ = try answer(path, as: type) }
        let error = #expect(throws: APIError.self) { try read(type) }
        #expect(error?.kind == .decoding)
        #expect(error?.message == message)
    }

    @Test("an error from within a type names the path down to the fault")
    func nested() throws {
        struct Rows: Decodable { let users: [User] }
        var error = #expect(throws: APIError.self) { try answer("users[1]", as: User.self) }
        #expect(error?.message == #"users[1].id: wanted Int, but it is the string "x""#)
        #expect(error?.underlying is DecodingError)
        error = #expect(throws: APIError.self) { try answer("users[1].address", as: User.Address.self) }
        #expect(error?.message == "users[1].address.zip: wanted String, but it is the number 5")
        error = #expect(throws: APIError.self) { try answer("users[1].address", as: User.self) }
        #expect(error?.message == "users[1].address.id: wanted User, but users[1].address is an object with zip")
        error = #expect(throws: APIError.self) { try answer(as: Rows.self) }
        #expect(error?.message == #"users[1].id: wanted Int, but it is the string "x""#)
    }

    @Test("an error about a number that does not fit names its path")
    func numbers() throws {
        struct Row: Decodable { let id: Int }
        let value = try JSON(parsing: Data(#"{"users":[{"id":1},{"id":1.5}],"x":[1e400]}"#.utf8))
        var error = #expect(throws: APIError.self) { try value("users", as: [Row].self) }
        #expect(error?.message == "users[1].id: wanted Array<Row>, but it is the number 1.5, which does not fit")
        #expect(error?.underlying is DecodingError)
        error = #expect(throws: APIError.self) { try value("users[1].id", as: Int.self) }
        #expect(error?.message == "users[1].id: wanted Int, but it is the number 1.5, which does not fit")
        error = #expect(throws: APIError.self) { try value("x", as: [Double].self) }
        #expect(error?.message == "x[0]: wanted Array<Double>, but it is the number 1e400, which does not fit")
    }

    @Test("the given decoder's strategy decodes dates")
    func decoder() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let value: JSON = ["at": "2001-01-01T00:00:00Z", "wrong": "yesterday"]
        #expect(try value("at", as: Date.self, decoder: decoder) == Date(timeIntervalSinceReferenceDate: 0))
        let error = #expect(throws: APIError.self) { try value("wrong", as: Date.self, decoder: decoder) }
        #expect(error?.message.hasPrefix(#"wrong: wanted Date, but it is the string "yesterday" ("#) == true)
    }

    @Test("numbers keep their value, and members their order")
    func exact() throws {
        let value = try JSON(parsing: Data(#"{"n":0.12345678901234567890123,"big":9007199254740993,"o":{"b":1,"a":1e400}}"#.utf8))
        #expect(try value("n", as: Decimal.self).description == "0.12345678901234567890123")
        #expect(try value("big", as: Int.self) == 9_007_199_254_740_993)
        #expect("\(try value("o", as: JSON.self))" == "{\n  \"b\": 1,\n  \"a\": 1e400\n}")
    }
}
