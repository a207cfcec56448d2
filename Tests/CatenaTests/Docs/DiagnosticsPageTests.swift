import Foundation
import Testing

@testable import Catena

@Suite("Page of diagnostics", .limitedParallelism)
struct DiagnosticsPageTests {
    /// The names of all kinds, from the sources, so that a new one cannot be forgotten.
    private static func names() throws -> [String] {
        let source = try String(contentsOf: URL.packageRoot.appending(path: "Sources/Catena/Watching/Diagnostics.swift"), encoding: .utf8)
        return source.matches(of: #/static let \w+ = Kind\(name: "(\w+)"\)/#).map { String($0.1) }
    }

    @Test("each kind has a section in both languages, under the anchor that its event names", arguments: ["Docs/", "Docs/zh-Hans/"])
    func sections(folder: String) throws {
        let names = try Self.names()
        #expect(names.count >= 14)
        let page = try String(contentsOf: URL.packageRoot.appending(path: folder + "Diagnostics.md"), encoding: .utf8)
        let headings = page.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
        #expect(headings == headings.filter(names.contains), "the page has sections of kinds only")
        #expect(Set(headings) == Set(names))
        for name in names {
            let event = DiagnosticEvent(kind: .init(name: name), message: "made up")
            #expect(event.description == "Catena: made up (Docs/Diagnostics.md#\(name.lowercased()))")
        }
    }
}
