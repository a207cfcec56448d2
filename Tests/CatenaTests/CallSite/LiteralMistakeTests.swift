#if os(Linux) || os(macOS)
import Foundation
import Testing

/// The compiler's messages about literals with values that cannot be params.
@Suite("Mistakes in literals", .limitedParallelism) struct LiteralMistakeTests {
    private static func source(_ step: String) -> String {
        """
        import Catena
        import Foundation

        struct Avatar {}

        func request(_ size: Int, _ text: String?, _ stored: [String: Any], _ avatar: Avatar) -> Request {
            API.post("/a").header("X-A", "1")
                .\(step)
                .timeout(.seconds(3))
        }
        """
    }

    /// The names of steps, each with the label of its literal.
    private static let steps = ["params(", "query(", "form(", "json(", "body(propertyList: "]
    private static let mistakes = [
        #"["a": ["b": 1, "c": "x"]]"#, #"["size": size, "a": ["b": ["c": 1, "d": "x"], "e": size]]"#, #"["a": [1, "x"]]"#,
        #"["q": text, "avatar": avatar]"#, "stored",
    ]

    @Test("the error for a literal with mixed values says what to write, at the line of the step", arguments: steps, mistakes)
    func mixed(step: String, mistake: String) throws {
        let complaints = try SwiftCompiler().typecheck([Self.source("\(step)\(mistake))")])
        #expect(complaints.map(\.line) == [8])
        let message = complaints.first?.message ?? ""
        #expect(message.hasPrefix("'\(step.prefix { $0 != "(" })"))
        for word in ["[…] as Params", "JSON(array: […])", "params(dictionary:)"] { #expect(message.contains(word), "\(message)") }
    }

    @Test(
        "the literals that the message suggests compile, and so do other correct ones", arguments: steps,
        [
            #"["size": size, "a": ["b": 1, "c": "x"] as Params]"#, #"["a": JSON(array: [1, "x"])]"#, #"["a": ["b": 1, "c": 2], "q": text]"#,
            "[:]",
            #"["a": nil, "b": .null]"#, #"["b": 1] as [String: Int]"#, #"["a": ["b": 1, "c": "x"]] as JSON"#,
        ])
    func right(step: String, literal: String) throws {
        #expect(try SwiftCompiler().typecheck([Self.source("\(step)\(literal))")]) == [])
    }

    @Test("params(dictionary:) accepts a dictionary from elsewhere")
    func dictionary() throws {
        #expect(try SwiftCompiler().typecheck([Self.source("params(dictionary: stored)")]) == [])
    }

    @Test("an unknown name in a literal is reported as such, at its line", arguments: steps)
    func typo(step: String) throws {
        let complaints = try SwiftCompiler().typecheck([Self.source("\(step)[\n\"size\": sise, \"q\": text])")])
        #expect(complaints.map(\.message) == ["cannot find 'sise' in scope"])
        #expect(complaints.map(\.line) == [9])
    }

    @Test("the overloads for wrong literals keep correct ones cheap to type-check")
    func cost() throws {
        let literal = #"["q": text, "page": 1, "size": size, "flag": true, "ratio": 0.5, "sort": "x"]"#
        let steps = "params(\(literal)).query(\(literal)).params(\(literal)).query(\(literal))"
        let options = ["-Xfrontend", "-solver-scope-threshold=5000"]
        #expect(try SwiftCompiler().typecheck([Self.source(steps)], options: options) == [])
    }
}
#endif
