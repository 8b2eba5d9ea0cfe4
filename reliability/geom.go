package reliability

import "fmt"

// endpoints returns the two scores of Geom@k: any and all of k.
func endpoints(p Params) (pass, unanimous score, err error) {
	pass, err = passScore(p)
	if err != nil {
		return score{}, score{}, err
	}
	unanimous, err = passHatScore(p)
	return pass, unanimous, err
}

// geomPoint blends within each test, then averages.
func geomPoint(s *Sample, p Params) (Estimate, error) {
	pass, unanimous, err := endpoints(p)
	if err != nil {
		return Estimate{}, err
	}
	states, used := s.atLeast(p.K)
	total := 0.
	for _, st := range states {
		x, y := pass.expected(st.Counts), unanimous.expected(st.Counts)
		value, err := blend(x, y, p.PassPower, p.UnanimousPower)
		if err != nil {
			return Estimate{}, err
		}
		total += st.tests * value
	}
	return point(s, used, p.K, total/float64(used)), nil
}

func geomInterval(s *Sample, p Params) (Estimate, error) {
	pass, unanimous, err := endpoints(p)
	if err != nil {
		return Estimate{}, err
	}
	moments := joint(pass, unanimous)
	states, used := s.atLeast(1)
	var mean, variance float64
	for _, st := range states {
		m, v, err := moments(p.beta(st.Counts)).delta(p.PassPower, p.UnanimousPower)
		if err != nil {
			return Estimate{}, err
		}
		mean += st.tests * m
		variance += st.tests * v
	}
	tests := float64(used)
	return normal(s, used, mean/tests, variance/(tests*tests), p, unit()), nil
}

// geomDatasetPoint averages over the tests, then blends.
func geomDatasetPoint(s *Sample, p Params) (Estimate, error) {
	pass, unanimous, err := endpoints(p)
	if err != nil {
		return Estimate{}, err
	}
	return datasetPoint(s, pass, unanimous, p.PassPower, p.UnanimousPower)
}

func geomDatasetInterval(s *Sample, p Params) (Estimate, error) {
	pass, unanimous, err := endpoints(p)
	if err != nil {
		return Estimate{}, err
	}
	return datasetInterval(s, pass, unanimous, p.PassPower, p.UnanimousPower, p)
}

// spectrumPair returns the two scores of GeoSpectrum. At Lambda 1 the spectrum
// does not matter, and its weights are not read; at 0 only it does.
func spectrumPair(p Params) (pass, spectrum score, err error) {
	if !(p.Lambda >= 0 && p.Lambda <= 1) {
		return score{}, score{}, fmt.Errorf("lam is %v: it must lie in 0..1", p.Lambda)
	}
	if pass, err = passScore(p); err != nil || p.Lambda == 1 {
		return pass, score{}, err
	}
	spectrum, err = spectrumScore(p)
	return pass, spectrum, err
}

func geoSpectrumPoint(s *Sample, p Params) (Estimate, error) {
	pass, spectrum, err := spectrumPair(p)
	switch {
	case err != nil:
		return Estimate{}, err
	case p.Lambda == 1:
		return pointOf(s, pass), nil
	case p.Lambda == 0:
		return pointOf(s, spectrum), nil
	}
	return datasetPoint(s, pass, spectrum, p.Lambda, 1-p.Lambda)
}

func geoSpectrumInterval(s *Sample, p Params) (Estimate, error) {
	pass, spectrum, err := spectrumPair(p)
	switch {
	case err != nil:
		return Estimate{}, err
	case p.Lambda == 1:
		return posteriorOf(s, pass, p), nil
	case p.Lambda == 0:
		return posteriorOf(s, spectrum, p), nil
	}
	return datasetInterval(s, pass, spectrum, p.Lambda, 1-p.Lambda, p)
}

// star fixes the parameters of GeoSpectrum*.
func star(p Params) Params {
	p.Lambda, p.Weights = 0.5, nil
	return p
}

func geoStarPoint(s *Sample, p Params) (Estimate, error)    { return geoSpectrumPoint(s, star(p)) }
func geoStarInterval(s *Sample, p Params) (Estimate, error) { return geoSpectrumInterval(s, star(p)) }
