import SwiftSyntax

/// A property of the struct and its attributes.
struct Property {
    let name: String
    /// The name as written in code, with backticks if it needs them.
    let token: TokenSyntax
    let type: TypeSyntax?
    let isStored: Bool
    let isStatic: Bool
    let markers: [Marker]
    let declaration: VariableDeclSyntax
    private let value: ExprSyntax?

    init(
        _ pattern: IdentifierPatternSyntax, _ binding: PatternBindingSyntax, type: TypeSyntax?, in declaration: VariableDeclSyntax
    ) {
        token = pattern.identifier
        name = token.identifier?.name ?? token.text
        self.type = type
        isStored = !(binding.accessorBlock?.computes ?? false)
        isStatic = declaration.modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
        markers = declaration.attributes.compactMap { $0.as(AttributeSyntax.self).flatMap(Marker.init) }
        self.declaration = declaration
        value = binding.initializer?.value
    }

    /// The name under which the property is sent, and which a placeholder has.
    var key: String {
        markers.first { $0.kind == .param || $0.kind == .query }?.name ?? name
    }

    func isMarked(_ kind: Marker.Kind) -> Bool { markers.first?.kind == kind }

    /// The name of the type, if it is in the code: `Tag` for `Tag?`, `Catena.Tag`, `= Tag("forum")` and `= Tag.forum`.
    var typeName: String? {
        var text = type?.trimmedDescription
        if type == nil, let value {
            let called = value.as(FunctionCallExprSyntax.self)?.calledExpression ?? value
            text = (called.as(MemberAccessExprSyntax.self)?.base ?? called).trimmedDescription
        }
        return text?.trimmingSuffix { "?!".contains($0) }.split(separator: ".").last.map(String.init)
    }

    /// Whether the property is one of the protocol's own, such as the tag.
    var isEndpointsOwn: Bool {
        switch name {
        case "tag": typeName == "Tag"
        case "query": typeName == "Params"
        case "headers": typeName == "HTTPHeaders"
        case "body": typeName == "EndpointBody"
        case "timeout": typeName == "Duration"
        case "retry": typeName == "RetryPolicy"
        case "cache": typeName == "CachePolicy"
        default: false
        }
    }

    /// The protocol's associated type that the compiler would infer from a property that is not the protocol's own, and its default.
    var inferred: (name: String, type: String)? {
        guard !isStatic, !isEndpointsOwn else { return nil }
        return switch name {
        case "tag": ("TagValue", "Catena.Tag?")
        case "params": ("ParamsValue", "Catena.Params")
        case "query": ("QueryValue", "Catena.Params")
        case "headers": ("HeadersValue", "Catena.HTTPHeaders")
        case "body": ("BodyValue", "Catena.EndpointBody?")
        case "timeout": ("TimeoutValue", "Swift.Duration?")
        case "retry": ("RetryValue", "Catena.RetryPolicy?")
        case "cache": ("CacheValue", "Catena.CachePolicy?")
        default: nil
        }
    }

    var isSent: Bool { !isStatic && !isMarked(.unsent) && !isEndpointsOwn && (isStored || !markers.isEmpty) }
}

extension AccessorBlockSyntax {
    /// Whether the accessors make the property a computed one. Observers do not.
    fileprivate var computes: Bool {
        guard case .accessors(let accessors) = accessors else { return true }
        return !accessors.allSatisfy { [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
    }
}

extension String {
    fileprivate func trimmingSuffix(while isEnd: (Character) -> Bool) -> Substring {
        var text = self[...]
        while let last = text.last, isEnd(last) { text.removeLast() }
        return text
    }
}

/// The properties of a struct.
struct Properties {
    private(set) var all: [Property] = []
    /// The declarations whose properties cannot be read one by one.
    private(set) var unclear: [Syntax] = []

    init(of structure: StructDeclSyntax) {
        for member in structure.memberBlock.members {
            if let declaration = member.decl.as(VariableDeclSyntax.self) {
                add(declaration)
            } else if let conditional = member.decl.as(IfConfigDeclSyntax.self), conditional.declaresVariables {
                unclear.append(Syntax(conditional))
            }
        }
    }

    private mutating func add(_ declaration: VariableDeclSyntax) {
        var type: TypeSyntax?
        var properties: [Property] = []
        // In `let a, b: Int` the type is written after the last name.
        for binding in declaration.bindings.reversed() {
            type = binding.typeAnnotation?.type ?? (binding.initializer == nil ? type : nil)
            if let pattern = binding.pattern.as(IdentifierPatternSyntax.self) {
                properties.append(Property(pattern, binding, type: type, in: declaration))
            } else {
                unclear.append(Syntax(binding.pattern))
            }
        }
        all += properties.reversed()
    }
}

extension IfConfigDeclSyntax {
    fileprivate var declaresVariables: Bool {
        clauses.contains { clause in
            guard case .decls(let members) = clause.elements else { return false }
            return members.contains { $0.decl.is(VariableDeclSyntax.self) }
        }
    }
}
