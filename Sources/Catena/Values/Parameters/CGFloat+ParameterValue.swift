#if CATENA_SESSION
public import Foundation

#if canImport(FoundationNetworking)
public import Catena
#endif

extension CGFloat: ParameterValue {
    public var parameterNode: ParameterNode { native.parameterNode }
}
#endif
