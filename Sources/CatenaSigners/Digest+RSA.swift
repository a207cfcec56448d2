public import Catena

extension ParameterSigner.Digest {
    /// RSA with SHA-256 (PKCS #1 v1.5), where the platform supports it. The key is PEM, in PKCS #8 or PKCS #1.
    public static func rsaSHA256(privateKey: String) -> Self {
        Self("rsaSHA256(\(Redaction.mark))", secretValues: RSAPrivateKey.secretValues(of: privateKey)) { message in
            MessageDigest(bytes: try RSASignature.sign(message, withKey: privateKey))
        }
    }
}
