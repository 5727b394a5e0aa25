import Foundation

/// Decimals as texts, all digits and no exponent: not every service knows exponents.
enum DecimalText {
    static func text(_ number: Decimal) throws(ODataError) -> String {
        guard number.isFinite else {
            throw ODataError(.invalidRequest, "A decimal number is not a number: it cannot be sent.")
        }
        // `description` has no exponent, whatever the number's.
        return number.description
    }
}
