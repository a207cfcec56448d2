import SwiftDiagnostics
import SwiftSyntax

/// Checks that each placeholder has a property, that each property is sent in one place, and that the endpoint has a response.
struct EndpointCheck {
    let verb: Verb
    let attribute: AttributeSyntax
    let template: PathTemplate
    let properties: Properties
    let structure: StructDeclSyntax

    var faults: [Diagnostic] {
        placeholderFaults + colonFaults + unclearFaults + properties.all.flatMap(faults) + bodyFaults + responseFaults
    }

    // MARK: The path

    private var placeholderFaults: [Diagnostic] {
        template.placeholders.filter { placeholder in !properties.all.contains { $0.isFilling([placeholder]) } }.map { placeholder in
            Diagnostic(
                node: template.literal, position: placeholder.position, message: Fault("'{\(placeholder.name)}' has no property"),
                fixIts: fixes(of: placeholder.name))
        }
    }

    private func fixes(of name: String) -> [FixIt] {
        let plain = { (name: String) in name.lowercased().filter { $0 != "_" && $0 != "-" } }
        if let similar = properties.all.first(where: { plain($0.name) == plain(name) && $0.markers.isEmpty && !$0.isStatic }) {
            if similar.name == name { return [] }
            return [FixIt("Send '\(similar.name)' as '\(name)'", inserting: "@Param(\"\(name)\") ", before: similar.declaration)]
        }
        let declaration = Self.property(for: name)
        return [FixIt("Add '\(declaration)'", adding: declaration, to: structure)]
    }

    /// Returns `let roomID: String`, or `@Param("room-id") let roomId: String` if the name is not a Swift identifier.
    private static func property(for name: String) -> String {
        let parts = name.split(separator: "-")
        let first = parts.first.map(String.init) ?? ""
        let identifier = parts.dropFirst().reduce(first) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
        let isName = identifier.first?.isNumber == false
        let property = "let \(isName ? identifier : "value" + identifier): String"
        return isName && identifier == name ? property : "@Param(\"\(name)\") \(property)"
    }

    private var colonFaults: [Diagnostic] {
        template.colonNames.filter { colon in properties.all.contains { $0.key == colon.name } }.map { colon in
            let end = colon.position.advanced(by: 1 + colon.name.utf8.count)
            return Diagnostic(
                node: template.literal, position: colon.position, message: Fault("':\(colon.name)' is sent as it is", .warning),
                fixIts: [FixIt("Write '{\(colon.name)}'", replacing: colon.position..<end, with: "{\(colon.name)}", in: template.literal)])
        }
    }

    // MARK: Properties

    private var unclearFaults: [Diagnostic] {
        properties.unclear.map { Diagnostic(node: $0, message: Fault("each property stands by itself, and not inside '#if'")) }
    }

    private func faults(of property: Property) -> [Diagnostic] {
        if let second = property.markers.dropFirst().first {
            return [fault(second.node, "'\(property.name)' goes to one place, not to two", removing: second)]
        }
        let marker = property.markers.first
        if property.isStatic {
            return marker.map { [fault($0.node, "a static property is not sent", removing: $0)] } ?? []
        }
        if let fault = marker.flatMap({ nameFault(of: $0) }) { return [fault] }
        if made.contains(property.name), !property.isEndpointsOwn { return [reserved(property)] }
        if property.isFilling(template.placeholders) { return pathFaults(of: property) }
        if let clash = handWritten(besides: property) {
            return [Diagnostic(node: property.token, message: Fault("'\(property.name)' is sent nowhere: '\(clash)' is written by hand"))]
        }
        return property.isSent ? typeFaults(of: property) : []
    }

    /// The properties that the extension declares.
    private var made: Set<String> {
        let kinds: [(Marker.Kind, String)] = [(.query, "query"), (.header, "headers"), (.body, "body")]
        let marked = kinds.filter { kind, _ in properties.all.contains { $0.isMarked(kind) } }
        return Set(["path", "method", "params"] + marked.map(\.1))
    }

    private func reserved(_ property: Property) -> Diagnostic {
        let message = Fault("'\(verb.attribute)' makes '\(property.name)' itself")
        guard property.isStored, property.markers.isEmpty else { return Diagnostic(node: property.token, message: message) }
        let end = property.token.text + "Value"
        let start = property.declaration.positionAfterSkippingLeadingTrivia
        let fix = FixIt(
            message: Fault("Call it '\(end)', and send it as '\(property.name)'"),
            changes: [
                .replaceText(range: start..<start, with: "@Param(\"\(property.name)\") ", in: Syntax(property.declaration)),
                .replaceText(range: property.place, with: end, in: Syntax(property.declaration)),
            ])
        return Diagnostic(node: property.declaration, position: property.place.lowerBound, message: message, fixIts: [fix])
    }

    private func pathFaults(of property: Property) -> [Diagnostic] {
        if let marker = property.markers.first, marker.kind != .param {
            return [fault(marker.node, "'\(property.name)' fills '{\(property.key)}' already", removing: marker)]
        }
        guard let type = property.type else { return [] }
        if let optional = type.as(OptionalTypeSyntax.self) {
            let mark = optional.questionMark
            let fix = FixIt("Remove '?'", replacing: mark.position..<mark.endPositionBeforeTrailingTrivia, with: "", in: type)
            let message = Fault("'{\(property.key)}' needs a value, which an optional may not have")
            return [Diagnostic(node: type, message: message, fixIts: [fix])]
        }
        if type.is(ArrayTypeSyntax.self) || type.is(DictionaryTypeSyntax.self) {
            return [Diagnostic(node: type, message: Fault("'{\(property.key)}' takes a single value"))]
        }
        return typeFaults(of: property)
    }

    private func typeFaults(of property: Property) -> [Diagnostic] {
        guard let type = property.type, type.cannotBeSent else { return [] }
        let fix = FixIt("Do not send it", inserting: "@Unsent ", before: property.declaration)
        let message = Fault("'\(property.name)' cannot be sent: it is a function or a tuple")
        return [Diagnostic(node: type, message: message, fixIts: property.markers.isEmpty ? [fix] : [])]
    }

    /// Returns the protocol's property in which this one would be sent, if the struct declares that property itself.
    private func handWritten(besides property: Property) -> String? {
        let place: String? =
            switch property.markers.first?.kind {
            case .query: "query"
            case .header: "headers"
            case .body: "body"
            default: nil
            }
        return place.flatMap { place in properties.all.contains { $0.name == place && $0.isEndpointsOwn } ? place : nil }
    }

    // MARK: Attributes

    private func nameFault(of marker: Marker) -> Diagnostic? {
        guard let argument = marker.argument else { return nil }
        if marker.kind != .body, marker.name == nil {
            return Diagnostic(node: argument, message: Fault("the name is a string literal"))
        }
        if marker.kind == .header, let name = marker.name, !Self.isHeaderName(name) {
            return Diagnostic(node: argument, message: Fault("'\(name)' is not the name of a header"))
        }
        return marker.name == "" ? Diagnostic(node: argument, message: Fault("the name is empty")) : nil
    }

    /// Whether a name is a token (RFC 9110 §5.6.2).
    private static func isHeaderName(_ name: String) -> Bool {
        !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
    }

    private func fault(_ node: some SyntaxProtocol, _ message: String, removing marker: Marker) -> Diagnostic {
        Diagnostic(node: node, message: Fault(message), fixIts: [FixIt("Remove '\(marker.text)'", removing: marker)])
    }
}
