/// Keys that were made for these tests with `openssl genrsa` and `openssl ecparam`. They protect nothing.
enum MadeUpKeys {
    /// One RSA key of 2048 bits in both forms.
    static let pkcs8 = """
        -----BEGIN PRIVATE KEY-----
        MIIEvgIBADANBgkqhkiG9w0BAQEFAASCBKgwggSkAgEAAoIBAQCkUfwULS0VHRxT
        J5iY4yCaIGE2VK/Y0HFdYorKHB1bL5eX2EFPHjIvIZ38mW4OGFHJsZi5IAKjIn/n
        1yhRscD04kLzFmu4AiXjY9kJsaLDCidX8VFWynP2Zkom5C0IA2A+kxmA2v6Q5vZ8
        p2JJQ7234MpLNV4UMezb/fFyYNz9gSzzooZOKvSZuEvytTi2o7Lv/OEcrjU5Wi5q
        tkPDeUZz1Uju6Co/QfGHzTho0BWCqBxpz9bq8oQbNP2knj++Jq6rbzC36AKwECqT
        A79iI6B7qNAuVYlg8MT/XQha52bl3n7I0e/F5pgtsj0QCe9MzNLLAh+R5Niuc2Pc
        MaMsa5ovAgMBAAECggEAGffqRnFZ8b9vKwW+cXxaOia025u9oJ5XKXgke/VpKZss
        shlslNQuVSbTFh5UohNI1am5+5kUoZ3BqKzm7nuQ2tfpLGFA4SHXGrJnFJzx89s7
        xYOvJEVhgdwU4EQ+M55+TCqoz1A3W+9hnpNAuVhkeAClUlvFmZvG6tYdSBizxAzb
        BzkKnyQEMz1G9ZF8oE4Q97f15hQbdP9lt0lqfynTbPmFSthTZ/wxAUxnpeDwpJW6
        MRtk8wVbGrhNNx7Kszz4eGDC17ntHTipl3p4VWpT0egUVKo74DQUS0wfECDNxht5
        6wUguxuCsibeTcP+aksTaAf1dq13P5rUr2feGeSU5QKBgQDXDzZT+AEa4gtTtQ7e
        yB4F63b4hH/ZTnQzP2iA4wTD5rFThKqM5xicHTxTge0Frny/FVZC2Zvw6rihoc+P
        SAZTsgThCd8zUJXSUVjQNoqR7lCx5+kVLHA8xjQQGp88UH6N97EPSJ8yo0bfgAdE
        Glyvj+KOQS87HkJGyrABoD6fUwKBgQDDmgfKgOAffvqnrt9Qwz7w3hbyNFC2ADmC
        /mflktj4g9CvGRIV6Dkg0HG4B3IQBIYGRI4PLpd3giZJnGdmj3g6YVMhGs7fb3vS
        /Hht6RaTxq2fGm8HEnBUf1SBF3TeqrdLclloOvcHipYyhLQEr83HIc/nfyFLKaNn
        G2NIREsqNQKBgEJP/oCFyFFxwexdt+gZ7KgGovieYo2vE0V6F88mMSH20FbgYXZx
        C7WXjjJxrZRC6VRCUAbs8pimx6ePLWEQ5GKKUdbSJHC+OHRRgQEy0CePRHKW/9f3
        i+QxeXw9uTvv1hYQehgsXGpQzlm8MIFfX5UC2OjkUJv6CJWrifn2X1jhAoGBALsU
        pYL/xF0be+3Jifma5KZIJLY/ZzrL+DXb0c93pmH64Su31N5zH8DM3Rdgt62uRenU
        w/KtY12Ac9JP723epuVflLzDAT4fSNVBeIXXPCrXCdR02eBvuFR4/IADyVn2+h0F
        H5JbY04pNQLYfb1F0JE3O7x0kYlsJ8dEIK9L8oBJAoGBAJtMTha7GiA4HbObl5/E
        0SNxW0DtZFlv3BlxHp7nn/2rpaWXQFBgDnkRMxAJq2t1QgQvA/Gjr9JGWSd212Za
        OP+y+RD10ydiqyrcLelG8ipa/5+Te1oSx5v3WU1HCrMO602HPG1ctnP0Uk+xqbcM
        h60Fd0gWLLZ7FkDt12lIlpQc
        -----END PRIVATE KEY-----
        """

    static let pkcs1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEpAIBAAKCAQEApFH8FC0tFR0cUyeYmOMgmiBhNlSv2NBxXWKKyhwdWy+Xl9hB
        Tx4yLyGd/JluDhhRybGYuSACoyJ/59coUbHA9OJC8xZruAIl42PZCbGiwwonV/FR
        Vspz9mZKJuQtCANgPpMZgNr+kOb2fKdiSUO9t+DKSzVeFDHs2/3xcmDc/YEs86KG
        Tir0mbhL8rU4tqOy7/zhHK41OVouarZDw3lGc9VI7ugqP0Hxh804aNAVgqgcac/W
        6vKEGzT9pJ4/viauq28wt+gCsBAqkwO/YiOge6jQLlWJYPDE/10IWudm5d5+yNHv
        xeaYLbI9EAnvTMzSywIfkeTYrnNj3DGjLGuaLwIDAQABAoIBABn36kZxWfG/bysF
        vnF8WjomtNubvaCeVyl4JHv1aSmbLLIZbJTULlUm0xYeVKITSNWpufuZFKGdwais
        5u57kNrX6SxhQOEh1xqyZxSc8fPbO8WDryRFYYHcFOBEPjOefkwqqM9QN1vvYZ6T
        QLlYZHgApVJbxZmbxurWHUgYs8QM2wc5Cp8kBDM9RvWRfKBOEPe39eYUG3T/ZbdJ
        an8p02z5hUrYU2f8MQFMZ6Xg8KSVujEbZPMFWxq4TTceyrM8+Hhgwte57R04qZd6
        eFVqU9HoFFSqO+A0FEtMHxAgzcYbeesFILsbgrIm3k3D/mpLE2gH9Xatdz+a1K9n
        3hnklOUCgYEA1w82U/gBGuILU7UO3sgeBet2+IR/2U50Mz9ogOMEw+axU4SqjOcY
        nB08U4HtBa58vxVWQtmb8Oq4oaHPj0gGU7IE4QnfM1CV0lFY0DaKke5QsefpFSxw
        PMY0EBqfPFB+jfexD0ifMqNG34AHRBpcr4/ijkEvOx5CRsqwAaA+n1MCgYEAw5oH
        yoDgH376p67fUMM+8N4W8jRQtgA5gv5n5ZLY+IPQrxkSFeg5INBxuAdyEASGBkSO
        Dy6Xd4ImSZxnZo94OmFTIRrO32970vx4bekWk8atnxpvBxJwVH9UgRd03qq3S3JZ
        aDr3B4qWMoS0BK/NxyHP538hSymjZxtjSERLKjUCgYBCT/6AhchRccHsXbfoGeyo
        BqL4nmKNrxNFehfPJjEh9tBW4GF2cQu1l44yca2UQulUQlAG7PKYpsenjy1hEORi
        ilHW0iRwvjh0UYEBMtAnj0Rylv/X94vkMXl8Pbk779YWEHoYLFxqUM5ZvDCBX1+V
        Atjo5FCb+giVq4n59l9Y4QKBgQC7FKWC/8RdG3vtyYn5muSmSCS2P2c6y/g129HP
        d6Zh+uErt9Tecx/AzN0XYLetrkXp1MPyrWNdgHPST+9t3qblX5S8wwE+H0jVQXiF
        1zwq1wnUdNngb7hUePyAA8lZ9vodBR+SW2NOKTUC2H29RdCRNzu8dJGJbCfHRCCv
        S/KASQKBgQCbTE4WuxogOB2zm5efxNEjcVtA7WRZb9wZcR6e55/9q6Wll0BQYA55
        ETMQCatrdUIELwPxo6/SRlkndtdmWjj/svkQ9dMnYqsq3C3pRvIqWv+fk3taEseb
        91lNRwqzDutNhzxtXLZz9FJPsam3DIetBXdIFiy2exZA7ddpSJaUHA==
        -----END RSA PRIVATE KEY-----
        """

    /// A key on P-256, in PKCS #8.
    static let elliptic = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXMHnZCFdjwQ1R1Qh
        6gnEm3fT5QI4GMQWxq6vkakLa0mhRANCAAT4sWdiJriy6tPArMAB4aO35UlXzy+G
        QScjplL0tlqq8SREcPf9rXf34vUdRbCk0dvqlb8BFrzBywc08D5uJE7+
        -----END PRIVATE KEY-----
        """

    /// Returns the base64 text between the first and the last line of a PEM text.
    static func base64(_ pem: String) -> String { pem.split(separator: "\n").dropFirst().dropLast().joined() }
}
