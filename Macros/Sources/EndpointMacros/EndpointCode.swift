import SwiftSyntax
import SwiftSyntaxBuilder

/// Writes the extension that makes a struct an endpoint.
struct EndpointCode {
    let verb: Verb
    let template: PathTemplate
    let properties: Properties
    let structure: StructDeclSyntax

    func extending(_ type: some TypeSyntaxProtocol, conforms: Bool) throws -> ExtensionDeclSyntax {
        let members = [
            getter("path", "Catena.Path", [template.literal.trimmedDescription]),
            getter("method", "Catena.HTTPMethod", [".\(verb)"]),
            params, query, headers, body,
        ]
        // Without these aliases, the compiler would take such a property for the protocol's own.
        let types = properties.all.compactMap(\.inferred).map { "\(access)typealias \($0.name) = \($0.type)" }
        return try ExtensionDeclSyntax(
            """
            \(raw: availability)extension \(type.trimmed)\(raw: conforms ? ": Catena.Endpoint" : "") {
            \(raw: (types + members.compactMap { $0 }).joined(separator: "\n"))
            }
            """)
    }

    private var sent: [Property] { properties.all.filter(\.isSent) }

    private func fills(_ property: Property) -> Bool {
        property.isFilling(template.placeholders)
    }

    private var params: String? {
        let statements = properties.all.flatMap { property -> [String] in
            let name = property.token.text
            if fills(property) {
                return ["let \(name) = CatenaMacros.EndpointPart.path(self.\(name))", set(property.key, "\(name).value", in: "params")]
            }
            let isParam = property.isSent && (property.markers.isEmpty || property.isMarked(.param))
            return isParam ? [set(property.key, "self.\(name)", in: "params")] : []
        }
        return collection("params", "Catena.Params", statements)
    }

    private var query: String? {
        let marked = sent.filter { $0.isMarked(.query) }
        return collection("query", "Catena.Params", marked.map { set($0.key, "self.\($0.token.text)", in: "query") })
    }

    private var headers: String? {
        let marked = sent.filter { $0.isMarked(.header) }
        return collection(
            "headers", "Catena.HTTPHeaders", marked.map { set($0.markers[0].name ?? $0.name, "self.\($0.token.text)", in: "headers") })
    }

    private var body: String? {
        guard let property = sent.first(where: { $0.isMarked(.body) }) else { return nil }
        let contentType = property.markers[0].argument.map { ", contentType: \($0.trimmedDescription)" } ?? ""
        return getter("body", "Catena.EndpointBody?", ["CatenaMacros.EndpointPart.body(self.\(property.token.text)\(contentType))"])
    }

    private func set(_ name: String, _ value: String, in collection: String) -> String {
        "try CatenaMacros.EndpointPart.set(\(StringLiteralExprSyntax(content: name)), to: \(value), in: &\(collection))"
    }

    /// Returns a getter, or `nil` if it would be empty and the protocol's default suffices.
    private func collection(_ name: String, _ type: String, _ statements: [String]) -> String? {
        if statements.isEmpty { return nil }
        let body = ["var \(name) = \(type)()"] + statements + ["return \(name)"]
        return getter(name, type, ["get throws {"] + body + ["}"])
    }

    private func getter(_ name: String, _ type: String, _ lines: [String]) -> String {
        (["\(access)var \(name): \(type) {"] + lines + ["}"]).joined(separator: "\n")
    }

    /// The access modifier of the type, because witnesses of a protocol must be as accessible as the type.
    private var access: String {
        let isVisible = { (keyword: Keyword) in structure.modifiers.contains { $0.name.tokenKind == .keyword(keyword) } }
        return isVisible(.public) ? "public " : isVisible(.package) ? "package " : ""
    }

    private var availability: String {
        structure.attributes.compactMap { $0.as(AttributeSyntax.self) }.filter { $0.lastName == "available" }
            .map { $0.trimmedDescription + "\n" }.joined()
    }
}

extension Property {
    /// Whether the property fills a placeholder. A computed property needs no attribute for that.
    func isFilling(_ placeholders: [PathTemplate.Placeholder]) -> Bool {
        !isStatic && !isEndpointsOwn && placeholders.contains { $0.name == key }
    }
}
