import Catena
import CatenaTesting
import Foundation
import Testing

/// The rows of the table in Docs/JSON.md, tested with whole calls.
@Suite("JSON, documented behaviour", .limitedParallelism)
struct JSONBehaviourTests {
    struct Row: Sendable {
        let name: String
        var contentType = "application/json"
        let body: Data
        /// The result of `execute()`, as JSON without white space, or `nil` if the call fails.
        let value: String?

        init(_ name: String, _ body: String, gives value: String?) {
            self.init(name, Data(body.utf8), gives: value)
        }

        init(_ name: String, _ body: Data, as contentType: String = "application/json", gives value: String?) {
            (self.name, self.body, self.contentType, self.value) = (name, body, contentType, value)
        }
    }

    private static func encoded(_ text: String, _ encoding: String.Encoding, mark: [UInt8] = []) -> Data {
        Data(mark) + (text.data(using: encoding) ?? Data())
    }

    static let rows: [Row] = [
        Row("a key that comes twice has its first value", #"{"a":1,"b":2,"a":3}"#, gives: #"{"a":1,"b":2}"#),
        Row("512 levels", nested(512), gives: nested(512)),
        Row("513 levels", nested(513), gives: nil),
        Row("something after the end", "[1] x", gives: nil),
        Row("a second value", "[1][2]", gives: nil),
        Row("white space after the end", "[1] \r\n\t", gives: "[1]"),
        Row("NUL after the end", "[1]\u{0}", gives: nil),
        Row("a comma before a bracket", "[1,]", gives: nil),
        Row("a comma before a brace", #"{"a":1,}"#, gives: nil),
        Row("a comment", "[1] // one", gives: nil),
        Row("a byte order mark", "\u{FEFF}[1]", gives: "[1]"),
        Row("UTF-16, big end first", encoded(#"["é"]"#, .utf16BigEndian), gives: #"["é"]"#),
        Row("UTF-16, little end first", encoded(#"["é"]"#, .utf16LittleEndian), gives: #"["é"]"#),
        Row("UTF-16 with a mark", encoded(#"["é"]"#, .utf16LittleEndian, mark: [0xFF, 0xFE]), gives: #"["é"]"#),
        Row("UTF-32", encoded(#"["é"]"#, .utf32LittleEndian), gives: #"["é"]"#),
        Row(
            "GBK that says so", Data(#"[""#.utf8) + [0xC4, 0xE3] + Data(#""]"#.utf8), as: "application/json; charset=GBK", gives: #"["你"]"#),
        Row("GBK that does not", Data(#"[""#.utf8) + [0xC4, 0xE3] + Data(#""]"#.utf8), gives: nil),
        Row("Latin-1 that says so", Data(#"[""#.utf8) + [0xE9] + Data(#""]"#.utf8), as: "text/json; charset=iso-8859-1", gives: #"["é"]"#),
        Row("UTF-8 that says Latin-1", Data(#"["é"]"#.utf8), as: "application/json; charset=iso-8859-1", gives: #"["é"]"#),
        Row("bytes that are not UTF-8", Data(#"[""#.utf8) + [0xFF] + Data(#""]"#.utf8), gives: nil),
        Row("an integer beyond 2^53", "[9007199254740993]", gives: "[9007199254740993]"),
        Row("an integer beyond 64 bits", "[18446744073709551616]", gives: "[18446744073709551616]"),
        Row("a number beyond Double", "[1e400]", gives: "[1e400]"),
        Row("more digits than a Double has", "[0.1000000000000000055511151231257827]", gives: "[0.1000000000000000055511151231257827]"),
        Row("minus zero", "[-0]", gives: "[-0]"),
        Row("NaN", "[NaN]", gives: nil),
        Row("half of a surrogate pair", #"["\ud83d"]"#, gives: nil),
        Row("a surrogate pair", #"["\ud83d\ude00"]"#, gives: #"["😀"]"#),
        Row("a control character in a string", "[\"a\nb\"]", gives: nil),
        Row("a value outside of any array or object", "7", gives: "7"),
    ]

    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test("the value or error of a response is the one in the guide")
    func row() async {
        await each(Self.rows) { row in
            let stub = ClosureTransport { _ in
                TransportResponse(status: 200, headers: ["Content-Type": row.contentType], body: TransportBody(row.body))
            }
            let call = Client(transport: stub).host("https://example.com").get("/").execute()
            switch await call.result {
            case .success(let value): #expect("\(value)".filter { !$0.isWhitespace } == row.value, "\(row.name)")
            case .failure(let error):
                #expect(row.value == nil, "\(row.name): \(error)")
                let error = try #require(error as? APIError)
                #expect(error.kind == .decoding)
                #expect(error.message.contains(/line 1, column \d+/))
                #expect(error.underlying is JSONSyntaxError)
            }
        }
    }

    @Test("a number is exact if it fits the type, else nil")
    func numbers() throws {
        let value = try JSON(parsing: Data("[9007199254740993, 18446744073709551616, 1e400, 1e3, 1.5]".utf8))
        #expect(value[0].int == 9_007_199_254_740_993)
        #expect(value[1].int == nil)
        #expect(value[1].double == 18_446_744_073_709_551_616)
        #expect(value[2].double == nil)
        #expect(value[3].int == 1000)
        #expect(value[4].int == nil)
    }

    @Test("an error shows line, column and the text around the fault, without secrets")
    func fault() throws {
        let text = "{\n  \"name\": \"Ann\",\n  \"token\": \"made-up\",\n  \"age\": oops\n}"
        let error = #expect(throws: JSONSyntaxError.self) { try JSON(parsing: Data(text.utf8)) }
        #expect(error?.line == 4)
        #expect(error?.column == 10)
        #expect(error?.excerpt == #"oken": "***",   "age": oops }"#.suffix(26).description)
        #expect(error?.localizedDescription == error?.description)
    }

    @Test("an error within a secret of any length shows no part of the secret", arguments: [3, 30, 300, 3000])
    func secretFault(length: Int) throws {
        let text = #"{"password":""# + String(repeating: "Q", count: length) + #"\x"# + String(repeating: "Q", count: length) + #"","a":1}"#
        let error = #expect(throws: JSONSyntaxError.self) { try JSON(parsing: Data(text.utf8)) }
        #expect(error?.reason == "unknown escape in a string")
        #expect(error?.excerpt.contains("Q") == false, "\(error?.excerpt ?? "")")
    }
}
