#if canImport(Darwin)
import Foundation
#else
@_spi(_Unicode) import Swift
#endif

extension String {
    /// The text in Unicode's normalization form C (UAX #15).
    ///
    /// Foundation does this by its locale data. The standard library does it for the comparison of texts, but declares
    /// it for Foundation only; tests compare the two.
    package var canonicallyComposed: String {
        #if canImport(Darwin)
        precomposedStringWithCanonicalMapping
        #else
        var scalars = UnicodeScalarView()
        scalars.append(contentsOf: _nfc)
        return String(scalars)
        #endif
    }
}
