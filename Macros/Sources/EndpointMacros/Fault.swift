import SwiftDiagnostics
import SwiftSyntax

/// The message of an error, a warning or a fix-it.
struct Fault: DiagnosticMessage, FixItMessage {
    let message: String
    let severity: DiagnosticSeverity

    init(_ message: String, _ severity: DiagnosticSeverity = .error) {
        self.message = message
        self.severity = severity
    }

    var diagnosticID: MessageID { MessageID(domain: "CatenaMacros", id: message) }
    var fixItID: MessageID { diagnosticID }
}

extension FixIt {
    init(_ message: String, replacing range: Range<AbsolutePosition>, with text: String, in node: some SyntaxProtocol) {
        self.init(message: Fault(message), changes: [.replaceText(range: range, with: text, in: Syntax(node))])
    }

    /// Makes a fix-it that inserts a text before a node.
    init(_ message: String, inserting text: String, before node: some SyntaxProtocol) {
        let position = node.positionAfterSkippingLeadingTrivia
        self.init(message, replacing: position..<position, with: text, in: node)
    }

    /// Makes a fix-it that removes an attribute and the space after it.
    init(_ message: String, removing marker: Marker) {
        self.init(message, replacing: marker.node.positionAfterSkippingLeadingTrivia..<marker.node.endPosition, with: "", in: marker.node)
    }

    /// Makes a fix-it that inserts a declaration at the beginning of a struct, with the indentation of the others.
    init(_ message: String, adding declaration: String, to structure: StructDeclSyntax) {
        let block = structure.memberBlock
        let first = block.members.first.map { Syntax($0) } ?? Syntax(block.rightBrace)
        let isOnLineOfItsOwn = first.leadingTrivia.contains { $0.isNewline }
        let text =
            switch (block.members.isEmpty, isOnLineOfItsOwn) {
            case (true, let hasNewline): "\n    \(structure.indentation)\(declaration)\(hasNewline ? "" : "\n" + structure.indentation)"
            case (false, true): "\n\(first.indentation)\(declaration)"
            case (false, false): " \(declaration);"
            }
        let position = block.leftBrace.endPositionBeforeTrailingTrivia
        self.init(message, replacing: position..<position, with: text, in: structure)
    }
}

extension SyntaxProtocol {
    /// The white space on the line before the first token.
    fileprivate var indentation: String {
        let pieces = leadingTrivia.pieces.reversed().prefix { !$0.isNewline }
        return Trivia(pieces: pieces.reversed()).description.filter(\.isWhitespace)
    }
}

extension Diagnostic {
    static func wrongKind(of declaration: some DeclGroupSyntax, _ verb: Verb) -> Diagnostic {
        let message = Fault("'\(verb.attribute)' makes an endpoint of a struct")
        let keyword = declaration.introducer
        guard [.keyword(.class), .keyword(.actor)].contains(keyword.tokenKind) else { return Diagnostic(node: keyword, message: message) }
        let final = declaration.modifiers.first { $0.name.tokenKind == .keyword(.final) }
        let start = final?.positionAfterSkippingLeadingTrivia ?? keyword.positionAfterSkippingLeadingTrivia
        let fix = FixIt("Make it a struct", replacing: start..<keyword.endPositionBeforeTrailingTrivia, with: "struct", in: declaration)
        return Diagnostic(node: keyword, message: message, fixIts: [fix])
    }
}
