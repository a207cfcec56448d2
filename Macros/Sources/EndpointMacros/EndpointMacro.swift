import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Implements `@Get`, `@Post`, `@Put`, `@Patch` and `@Delete`, which make a struct an endpoint.
struct EndpointMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let verb = Verb(node) else { return [] }
        guard let structure = declaration.as(StructDeclSyntax.self) else {
            context.diagnose(.wrongKind(of: declaration, verb))
            return []
        }
        guard let template = PathTemplate(node, report: context.diagnose) else { return [] }
        let properties = Properties(of: structure)
        let check = EndpointCheck(verb: verb, attribute: node, template: template, properties: properties, structure: structure)
        let isNested = !context.lexicalContext.isEmpty
        let faults = template.faults + check.faults + (isNested ? check.visibilityFaults : [])
        faults.forEach(context.diagnose)
        // Expand nothing after an error, because the compiler would report further errors about the expansion.
        if faults.contains(where: { $0.diagMessage.severity == .error }) { return [] }
        let code = EndpointCode(verb: verb, template: template, properties: properties, structure: structure)
        return [try code.extending(type, conforms: !protocols.isEmpty)]
    }
}

/// The HTTP method of an attribute.
enum Verb: String {
    case get = "Get"
    case post = "Post"
    case put = "Put"
    case patch = "Patch"
    case delete = "Delete"

    init?(_ node: AttributeSyntax) {
        self.init(rawValue: node.lastName)
    }

    var attribute: String { "@" + rawValue }

    /// Whether the method may have a body. Catena refuses a GET with a body.
    var takesBody: Bool { self != .get }
}

extension AttributeSyntax {
    /// The name without a module before it.
    var lastName: String {
        attributeName.as(MemberTypeSyntax.self)?.name.text ?? attributeName.trimmedDescription
    }
}
