#if os(Linux) || os(macOS)
import Foundation
import Testing

/// The words that wait and the word that promises mean the same wherever they stand.
@Suite("Words in their contexts", .limitedParallelism) struct WordContextTests {
    /// Places of statements, which take the place of `@`.
    private static let contexts: [(name: String, code: String)] = [
        ("a function", "func function(_ request: Request) async throws { @ }"),
        ("a function of the main actor", "@MainActor func mainFunction(_ request: Request) async throws { @ }"),
        ("a method of an actor", "actor Loader { func load(_ request: Request) async throws { @ } }"),
        ("a method of a class", "@MainActor final class Screen { func load(_ request: Request) async throws { @ } }"),
        ("an initializer", "struct Made { init(_ request: Request) async throws { @ } }"),
        ("a property", "struct Read { let request: Request; var done: Void { get async throws { @ } } }"),
        ("a closure", "let closure: @Sendable (Request) async throws -> Void = { request in @ }"),
        ("a local function", "func outer(_ request: Request) async throws { func inner() async throws { @ }; try await inner() }"),
        ("a task", "func task(_ request: Request) { Task { @ } }"),
        ("a detached task", "func detached(_ request: Request) { Task.detached { @ } }"),
        ("a task of the main actor", "func mainTask(_ request: Request) { Task { @MainActor in @ } }"),
        (
            "a task group",
            "func group(_ request: Request) async { await withThrowingTaskGroup(of: Void.self) { $0.addTask { @ } } }"
        ),
        ("a promise", "func promise(_ request: Request) { Promise { @ }.then { print(1) } }"),
        ("a loop", "func loop(_ request: Request) async throws { for _ in 0..<2 { @ } }"),
        ("a do with a catch", "func handled(_ request: Request) async { do { @ } catch { print(error) } }"),
        ("the top level of main.swift", "@"),
    ]

    private static let awaited = [
        "try await request.void()", "try await request.data()", "try await request.string()", "try await request.response(as: Int.self)",
        "try await request.download(to: file)", "try await request.value()", "try await request.value(as: Int.self)",
    ]
    private static let promising = [
        "try await request.execute(.void)", "try await request.execute(.data)", "try await request.execute(.string)",
        "try await request.execute(.response(as: Int.self))", "try await request.execute(.download(to: file))",
        "try await request.execute()", "try await request.execute(as: Int.self)",
    ]

    @Test("an awaited word waits in each of 16 contexts")
    func waiting() throws {
        #expect(Self.contexts.count == 16)
        let source = Self.source(Self.awaited)
        #expect(try SwiftCompiler().typecheck([source], to: .flow, options: ["-warnings-as-errors"]) == [])
    }

    @Test("the compiler warns of an await before execute in each of 16 contexts")
    func promises() throws {
        let source = Self.source(Self.promising)
        let complaints = try SwiftCompiler().typecheck([source], to: .flow, options: ["-warnings-as-errors"])
        let lines = Set(complaints.filter { $0.message.contains("no 'async' operations occur within 'await' expression") }.map(\.line))
        let statements = source.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
            .filter { $0.element.hasPrefix("try await request.execute") }.map { $0.offset + 1 }
        #expect(statements.count == 16 * Self.promising.count)
        #expect(Set(statements).subtracting(lines) == [])
    }

    private static func source(_ statements: [String]) -> String {
        let text = "\n" + statements.joined(separator: "\n") + "\n"
        return """
            import Catena
            import Foundation

            let request = API.get("/a")
            let file = URL(filePath: "/tmp/a")
            \(contexts.map { $0.code.replacing("@ }", with: "\(text)}").replacing(/^@$/, with: text) }.joined(separator: "\n"))
            """
    }
}
#endif
