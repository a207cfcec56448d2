// Each file of the package has by one import: Foundation, on Linux its essentials alone, and the C library.

#if !canImport(Darwin)
@_exported import FoundationEssentials
#else
@_exported import Foundation
#endif

#if canImport(Darwin)
@_exported import Darwin
#elseif canImport(Glibc)
@_exported import Glibc
#elseif canImport(Musl)
@_exported import Musl
#elseif canImport(Android)
@_exported import Android
#else
#error("The C library of this platform is not known.")
#endif
