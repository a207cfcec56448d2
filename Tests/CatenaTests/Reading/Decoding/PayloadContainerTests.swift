import Foundation
import Testing

@testable import Catena

@Suite("Containers of payloads", .limitedParallelism)
struct PayloadContainerTests {
    private let decoder = JSONPayloadDecoder()

    @Test("an escaped decoder and its containers outlive the document")
    func escaping() throws {
        struct Keeper: Decodable {
            let decoder: any Decoder
            let elements: any UnkeyedDecodingContainer

            enum Key: CodingKey { case list }

            init(from decoder: any Decoder) throws {
                self.decoder = decoder
                elements = try decoder.container(keyedBy: Key.self).nestedUnkeyedContainer(forKey: .list)
            }
        }
        var document: Data? = Data(#"{"list":["text that takes memory of its own",2]}"#.utf8)
        let keeper = try decoder.decode(Keeper.self, from: try #require(document))
        document = nil
        var elements = keeper.elements
        #expect(try elements.decode(String.self) == "text that takes memory of its own")
        #expect(try elements.decode(Int.self) == 2)
        #expect(throws: DecodingError.self) { try elements.decode(Int.self) }
        #expect(try keeper.decoder.container(keyedBy: Keeper.Key.self).allKeys == [.list])
    }

    @Test("a container that a type keeps decodes further values later, as in JSONDecoder", arguments: ["keyed", "unkeyed"])
    func kept(kind: String) throws {
        struct Inner: Decodable, Equatable {
            let x: Int
        }
        struct Keeper: Decodable {
            let keyed: KeyedDecodingContainer<Key>
            let unkeyed: any UnkeyedDecodingContainer

            enum Key: CodingKey { case inner, list }

            init(from decoder: any Decoder) throws {
                keyed = try decoder.container(keyedBy: Key.self)
                unkeyed = try keyed.nestedUnkeyedContainer(forKey: .list)
            }
        }
        struct Room: Decodable {
            let rows: [[String: Keeper]]
        }
        let document = Data(#"{"rows":[{"a":{"inner":{"x":1},"list":[{"x":1}]}}]}"#.utf8)
        let rooms = [try JSONDecoder().decode(Room.self, from: document), try decoder.decode(Room.self, from: document)]
        for room in rooms {
            let keeper = try #require(room.rows.first?["a"])
            var elements = keeper.unkeyed
            let inner = kind == "keyed" ? try keeper.keyed.decode(Inner.self, forKey: .inner) : try elements.decode(Inner.self)
            #expect(inner == Inner(x: 1))
        }
    }

    @Test(
        "the first of two equal keys counts, as in JSONDecoder",
        arguments: [
            #"{"a":1,"a":2}"#, #"{"b":0,"a":1,"b":5,"a":2}"#, #"{"\u0061":1,"a":2}"#, #"{"caf\u00e9":1,"cafe\u0301":2,"a":3}"#,
        ])
    func duplicates(text: String) throws {
        let data = Data(text.utf8)
        let expected = try JSONDecoder().decode([String: Int].self, from: data)
        #expect(try decoder.decode([String: Int].self, from: data) == expected)
    }

    private struct Base: Decodable, Equatable {
        let id: Int
    }

    private struct Derived: Decodable, Equatable {
        let base: Base
        let name: String

        enum Key: CodingKey { case name }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            name = try container.decode(String.self, forKey: .name)
            base = try Base(from: container.superDecoder())
        }
    }

    @Test("a superclass is decoded from the member super, which error paths include")
    func superDecoder() throws {
        #expect(try decoder.decode(Derived.self, from: Data(#"{"name":"a","super":{"id":7}}"#.utf8)).base.id == 7)
        let error = #expect(throws: DecodingError.self) {
            try decoder.decode([Derived].self, from: Data(#"[{"name":"a","super":{"id":""}}]"#.utf8))
        }
        guard case .typeMismatch(_, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["Index 0", "super", "id"])
    }

    @Test("a type receives userInfo, and its keys in the order of the document")
    func userInfo() throws {
        struct Keys: Decodable {
            let keys: [String]
            let info: String?

            init(from decoder: any Decoder) throws {
                keys = try decoder.container(keyedBy: PlainKey.self).allKeys.map(\.stringValue)
                info = CodingUserInfoKey(rawValue: "info").flatMap { decoder.userInfo[$0] as? String }
            }
        }
        let strategies = JSONDecoder()
        if let key = CodingUserInfoKey(rawValue: "info") { strategies.userInfo[key] = "there" }
        let keys = try JSONPayloadDecoder(strategies).decode(Keys.self, from: Data(#"{"b":1,"a":2,"c":3}"#.utf8))
        #expect(keys.keys == ["b", "a", "c"])
        #expect(keys.info == "there")
    }

    @Test("integers of 128 bits are exact if the platform has them")
    func wideIntegers() throws {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        let text = "[170141183460469231731687303715884105727,-1]"
        #expect(try decoder.decode([Int128].self, from: Data(text.utf8)) == [.max, -1])
        struct Wide: Decodable { let value: UInt128 }
        #expect(try decoder.decode(Wide.self, from: Data(#"{"value":340282366920938463463374607431768211455}"#.utf8)).value == .max)
    }

    @Test("512 levels of nesting are decoded, and more are an error")
    func depth() throws {
        struct Nest: Decodable {
            let inner: [Nest]

            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                inner = container.isAtEnd ? [] : [try container.decode(Nest.self)]
            }
        }
        func nested(_ depth: Int) -> Data { Data((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8) }
        #expect(throws: Never.self) { try decoder.decode(Nest.self, from: nested(512)) }
        #expect(throws: DecodingError.self) { try decoder.decode(Nest.self, from: nested(513)) }
    }

    @Test("a large object is decoded with all its keys")
    func largeObject() throws {
        let text = "{" + (0..<5000).map { #""key\#($0)":\#($0)"# }.joined(separator: ",") + "}"
        let values = try decoder.decode([String: Int].self, from: Data(text.utf8))
        #expect(values.count == 5000)
        #expect(values["key4999"] == 4999)
    }
}
