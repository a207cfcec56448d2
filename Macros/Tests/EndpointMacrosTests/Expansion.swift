import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import EndpointMacros

/// Expands macros without the compiler, and compares the results.
enum Expansion {
    private static let verbs = ["Get", "Post", "Put", "Patch", "Delete"]
    private static let markers = ["Param", "Query", "Header", "Body", "Unsent"]

    private static func specs(
        _ endpoint: any Macro.Type, _ marker: any Macro.Type, conformances: [TypeSyntax] = []
    ) -> [String: MacroSpec] {
        let verbs = verbs.map { ($0, MacroSpec(type: endpoint, conformances: conformances)) }
        return Dictionary(uniqueKeysWithValues: verbs + markers.map { ($0, MacroSpec(type: marker)) })
    }

    /// Expects the expansion of a source.
    static func expect(
        _ source: String, becomes expanded: String, conforming: Bool = true, at location: Testing.SourceLocation = #_sourceLocation
    ) {
        let specs = specs(EndpointMacro.self, MarkerMacro.self, conformances: conforming ? ["Endpoint"] : [])
        assertMacroExpansion(source, expandedSource: expanded, macroSpecs: specs, failureHandler: recording(at: location))
    }

    /// Expects the errors of a source, and the source after the first fix-it of each.
    static func expect(
        _ source: String, says diagnostics: DiagnosticSpec..., fixed: String? = nil, at location: Testing.SourceLocation = #_sourceLocation
    ) {
        let faulty = withoutAttributes(source)
        assertMacroExpansion(
            source, expandedSource: faulty, diagnostics: diagnostics, macroSpecs: specs(EndpointMacro.self, MarkerMacro.self),
            fixedSource: fixed ?? source, failureHandler: recording(at: location))
    }

    /// Expects a warning, and the source after its fix-it.
    static func expect(
        _ source: String, becomes expanded: String, warns warning: DiagnosticSpec, fixed: String,
        at location: Testing.SourceLocation = #_sourceLocation
    ) {
        let specs = specs(EndpointMacro.self, MarkerMacro.self, conformances: ["Endpoint"])
        assertMacroExpansion(
            source, expandedSource: expanded, diagnostics: [warning], macroSpecs: specs,
            fixedSource: fixed, failureHandler: recording(at: location))
    }

    private static func recording(at location: Testing.SourceLocation) -> (TestFailureSpec) -> Void {
        { failure in Issue.record("\(failure.message)", sourceLocation: location) }
    }

    /// Returns the source without the attributes, which is its expansion if it has faults.
    private static func withoutAttributes(_ source: String) -> String {
        let specs = specs(NoEndpoint.self, NoMarker.self)
        return Parser.parse(source: source).expand(macroSpecs: specs) { node in
            BasicMacroExpansionContext(lexicalContext: node.allMacroLexicalContexts())
        }.description
    }
}

private enum NoEndpoint: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax, providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
    ) -> [ExtensionDeclSyntax] { [] }
}

private enum NoMarker: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) -> [DeclSyntax] { [] }
}

extension DiagnosticSpec {
    /// Makes the spec of an error with its fix-its.
    static func error(_ line: Int, _ column: Int, _ message: String, fixes: String...) -> DiagnosticSpec {
        DiagnosticSpec(message: message, line: line, column: column, fixIts: fixes.map { FixItSpec(message: $0) })
    }

    /// Makes the spec of a warning with its fix-it.
    static func warning(_ line: Int, _ column: Int, _ message: String, fix: String) -> DiagnosticSpec {
        DiagnosticSpec(message: message, line: line, column: column, severity: .warning, fixIts: [FixItSpec(message: fix)])
    }
}
