import SwiftDiagnostics
import SwiftSyntax

// Checks of the body, the response and the access level.
extension EndpointCheck {
    var bodyFaults: [Diagnostic] {
        let bodies = properties.all.filter { $0.isMarked(.body) || ($0.name == "body" && $0.isEndpointsOwn) }
        guard let body = bodies.first else { return [] }
        if !verb.takesBody {
            return [Diagnostic(node: body.token, message: Fault("'\(verb.attribute)' sends no body"), fixIts: fixes(ofUnsent: body))]
        }
        return bodies.dropFirst().map { Diagnostic(node: $0.token, message: Fault("there is a body already: '\(body.name)'")) }
            + bodies.compactMap(contentTypeFault)
    }

    private func fixes(ofUnsent body: Property) -> [FixIt] {
        let name = attribute.attributeName
        let range = name.positionAfterSkippingLeadingTrivia..<name.endPositionBeforeTrailingTrivia
        let post = FixIt("Make it a POST", replacing: range, with: "Post", in: name)
        return (body.markers.first.map { [FixIt("Send it in the query", removing: $0)] } ?? []) + [post]
    }

    /// Returns a fault if bytes or a file have no content type, because they are not JSON.
    private func contentTypeFault(of property: Property) -> Diagnostic? {
        guard let marker = property.markers.first, marker.argument == nil, ["Data", "URL"].contains(property.typeName) else { return nil }
        let argument = "(contentType: \"application/octet-stream\")"
        let end = marker.node.endPositionBeforeTrailingTrivia
        return Diagnostic(
            node: marker.node, message: Fault("'\(property.name)' is not JSON: say what it is"),
            fixIts: [FixIt("Add '\(argument)'", replacing: end..<end, with: argument, in: marker.node)])
    }

    var responseFaults: [Diagnostic] {
        if saysResponse || mayInheritResponse { return [] }
        let types = ["JSON", "Void"].map { "typealias Response = \($0)" }
        return [
            Diagnostic(
                node: structure.name, message: Fault("'\(structure.name.text)' does not say what its response is"),
                fixIts: types.map { FixIt("Add '\($0)'", adding: $0, to: structure) })
        ]
    }

    private var saysResponse: Bool {
        let isResponse = { (name: TokenSyntax) in name.text == "Response" }
        let members = structure.memberBlock.members.map(\.decl)
        return members.contains { $0.as(TypeAliasDeclSyntax.self).map { isResponse($0.name) } ?? false }
            || members.contains { $0.asProtocol((any NamedDeclSyntax).self).map { isResponse($0.name) } ?? false }
            || structure.genericParameterClause?.parameters.contains { isResponse($0.name) } ?? false
            || properties.all.contains { $0.isStatic && $0.name == "format" }
    }

    /// The extension is declared beside the outer type, so that it cannot see a private inner type.
    var visibilityFaults: [Diagnostic] {
        guard let modifier = structure.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) }) else { return [] }
        let range = modifier.name.positionAfterSkippingLeadingTrivia..<modifier.name.endPositionBeforeTrailingTrivia
        let fix = FixIt("Make it fileprivate", replacing: range, with: "fileprivate", in: modifier)
        return [
            Diagnostic(node: modifier, message: Fault("'\(verb.attribute)' cannot extend a private type inside another"), fixIts: [fix])
        ]
    }

    /// Whether a protocol of the app may declare the response. If it does not, the compiler reports an error.
    private var mayInheritResponse: Bool {
        let plain: Set = ["Endpoint", "Sendable", "Encodable", "Decodable", "Codable", "Equatable", "Hashable", "Identifiable"]
        return structure.inheritanceClause?.inheritedTypes.contains { inherited in
            !plain.contains(inherited.type.trimmedDescription.split(separator: ".").last.map(String.init) ?? "")
        } ?? false
    }
}

extension Property {
    /// The source range of the property's name.
    var place: Range<AbsolutePosition> { token.positionAfterSkippingLeadingTrivia..<token.endPositionBeforeTrailingTrivia }
}

extension TypeSyntax {
    /// Whether the type is a function or a tuple.
    var cannotBeSent: Bool {
        if let attributed = self.as(AttributedTypeSyntax.self) { return attributed.baseType.cannotBeSent }
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.cannotBeSent }
        if let tuple = self.as(TupleTypeSyntax.self), let only = tuple.elements.first, tuple.elements.count == 1 {
            return only.type.cannotBeSent
        }
        return self.is(FunctionTypeSyntax.self) || self.is(TupleTypeSyntax.self)
    }
}
