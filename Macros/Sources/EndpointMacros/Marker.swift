import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// An attribute that determines where a property is sent: `@Param`, `@Query`, `@Header`, `@Body` or `@Unsent`.
struct Marker {
    enum Kind: String {
        case param = "Param"
        case query = "Query"
        case header = "Header"
        case body = "Body"
        case unsent = "Unsent"
    }

    let kind: Kind
    let node: AttributeSyntax

    init?(_ node: AttributeSyntax) {
        guard let kind = Kind(rawValue: node.lastName) else { return nil }
        self.kind = kind
        self.node = node
    }

    var argument: ExprSyntax? { node.arguments?.as(LabeledExprListSyntax.self)?.first?.expression }

    /// The name in parentheses, or the content type of a body. `nil` if there is none or it is not a plain literal.
    var name: String? {
        guard let segments = argument?.as(StringLiteralExprSyntax.self)?.segments, segments.count == 1,
            let text = segments.first?.as(StringSegmentSyntax.self)?.content.text
        else { return nil }
        return text.contains("\\") ? nil : text
    }

    var text: String { "@" + kind.rawValue }
}

/// The macro of the property attributes, which expands to nothing because the struct's macro reads them. It reports an attribute outside an endpoint.
struct MarkerMacro: PeerMacro {
    static func expansion(
        of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        let attributes = context.lexicalContext.first?.asProtocol((any WithAttributesSyntax).self)?.attributes
        let isInEndpoint = attributes?.contains { $0.as(AttributeSyntax.self).flatMap(Verb.init) != nil } ?? false
        if !isInEndpoint {
            context.diagnose(
                Diagnostic(node: node, message: Fault("'@\(node.lastName)' marks a property of a struct with '@Get', '@Post' and the like"))
            )
        } else if !declaration.is(VariableDeclSyntax.self) {
            context.diagnose(Diagnostic(node: node, message: Fault("'@\(node.lastName)' marks a property")))
        }
        return []
    }
}
